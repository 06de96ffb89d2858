/// Recognizes serialized data by a number before its content, which counts the bytes up to the end
/// of the body. Most formats have no other mark: Protocol Buffers, MessagePack, CBOR, ASN.1, Python's
/// marshal, Thrift, gRPC, Cap'n Proto, TFRecord, OpenPGP, and the sounds of games.
enum LengthRule {
  /// How many bytes may follow: the ends of lists, small fields, checksums.
  private static let rest = 32
  /// How many bytes may follow if the number is not right before the content, and so could match by chance.
  private static let shortRest = 8
  /// The lengths that count, in bytes. Smaller numbers match by chance, and larger ones are not waited for.
  private static let credible = 256...67_108_864

  /// The start of the content whose first frame of sound is at `sound`: its tag, if it has one.
  static func start(of sound: Int, in head: [UInt8]) -> Int {
    let tag = Array("ID3".utf8)
    return head.prefix(sound).indices.first { head[$0] == tag[0] && head[$0...].starts(with: tag) } ?? sound
  }

  /// Whether a number before `start` leads to the end of the body. Waits until that is known.
  static func isMet(before start: Int, in body: inout Body) throws(Shortage) -> Bool {
    var sizes = try lengths(before: start, in: &body).filter(credible.contains).map {
      start + $0...start + $0 + rest
    }
    sizes += try statedSizes(before: start, in: &body)
    if let size = try sizeOfSegments(in: &body) { sizes.append(size...size) }
    guard let last = sizes.map(\.upperBound).max() else { return false }
    _ = try body.reaches(last + 1, at: 0)
    // All bytes that could refute it are here, or there are no more.
    return sizes.contains { $0 ~= body.available }
  }

  private static func lengths(before start: Int, in body: inout Body) throws(Shortage) -> [Int] {
    var bytes: [Int] = []
    for offset in max(0, start - 8)..<start { bytes.append(Int(try body.byte(at: offset) ?? 0)) }
    func big(_ count: Int) -> Int { bytes.suffix(count).reduce(0) { $0 << 8 | $1 } }
    func little(_ count: Int) -> Int { bytes.suffix(count).reversed().reduce(0) { $0 << 8 | $1 } }
    var lengths: [Int] = []
    for count in [2, 4, 8] where count <= bytes.count {
      lengths += [big(count), little(count)]
    }
    // ASN.1 says how many bytes the length has (ITU-T X.690, 8.1.3.5).
    if bytes.suffix(4).first == 0x83 { lengths.append(big(3)) }
    // Seven bits per byte, the lowest first. Only the last byte is below 128.
    if let last = bytes.last, last < 0x80 {
      var length = last
      for byte in bytes.dropLast().reversed().prefix(3) {
        guard byte >= 0x80 else { break }
        length = length << 7 | byte & 0x7f
        lengths.append(length)
      }
    }
    return lengths
  }

  /// The sizes that the body has if a number in its header counts all of it, what follows the number,
  /// or the content.
  private static func statedSizes(
    before start: Int, in body: inout Body
  ) throws(Shortage) -> [ClosedRange<Int>] {
    var sizes: [ClosedRange<Int>] = []
    for offset in 0..<max(0, min(start - 3, 20)) {
      guard let number = try body.number(at: offset) else { break }
      for size in [Int(number), Int(number.byteSwapped)] where 512...16_777_216 ~= size {
        sizes += [size...size, size + offset + 4...size + offset + 4 + shortRest]
        sizes.append(size + start...size + start + shortRest)
      }
    }
    return sizes
  }

  /// The size of a message of Cap'n Proto: the number of segments less one, their sizes in words of
  /// eight bytes, and the segments (Cap'n Proto, "Encoding Spec", "Serialization Over a Stream").
  private static func sizeOfSegments(in body: inout Body) throws(Shortage) -> Int? {
    guard let last = try body.littleNumber(at: 0), last < 64 else { return nil }
    var words = Int(last + 3) / 2
    for segment in 0...Int(last) { words += Int(try body.littleNumber(at: 4 + 4 * segment) ?? 0) }
    return credible ~= 8 * words ? 8 * words : nil
  }
}
