/// Recognizes serialized data by a length in front of its content, which counts the bytes up to the
/// end of the body: Protocol Buffers, MessagePack, CBOR, ASN.1, Python's marshal, Thrift, gRPC. Most of
/// them have no other mark.
enum LengthRule {
  /// How many bytes may follow: the ends of lists, small fields, checksums.
  private static let rest = 32
  /// In bytes. Smaller numbers are met by chance, and larger ones are not waited for.
  private static let credible = 256...67_108_864

  /// Where the content starts that has its first frame of sound at `sound`: at its tag, if it has one.
  static func start(of sound: Int, in head: [UInt8]) -> Int {
    let tag = Array("ID3".utf8)
    return head.prefix(sound).indices.first { head[$0] == tag[0] && head[$0...].starts(with: tag) } ?? sound
  }

  /// Whether a length right before `start` leads to the end of the body. Waits until that is known.
  static func isMet(before start: Int, in body: inout Body) throws(Shortage) -> Bool {
    let ends = try lengths(before: start, in: &body).filter(credible.contains).map { start + $0 }
    guard let last = ends.max() else { return false }
    _ = try body.reaches(rest + 1, at: last)
    // All bytes that could refute it are here, or there are no more.
    return ends.contains { $0 <= body.available && body.available <= $0 + rest }
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
    // Seven bits a byte, the lowest first. Only the last byte is below 128.
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
}
