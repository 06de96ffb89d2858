internal import Supporting

extension CacheEntry {
  /// The size of one entry in its file, in bytes.
  static let length = 512

  /// Marks the start of an entry: "push" and the number of the layout.
  private static let mark: UInt64 = 0x7075_7368_0000_0001

  /// The layout: mark, checksum of all that follows, numbers, texts with their lengths, zeros.
  /// - Parameter used: when it was used last, in milliseconds since 1970.
  func bytes(used: Int64) -> [UInt8] {
    var fields = FieldWriter()
    for digest in [url, source] {
      for word in [digest.first, digest.second, digest.third, digest.fourth] { fields.number(word) }
    }
    fields.number(policy)
    for number in [Int64(file.size), received, freshUntil, lifetime, used, lastModified?.seconds ?? .min] {
      fields.number(UInt64(bitPattern: number))
    }
    fields.number(UInt64(basis.rawValue))
    for text in [file.name, file.format, file.contentType, etag] { fields.text(text) }
    fields.bytes += [UInt8](repeating: 0, count: max(0, Self.length - 16 - fields.bytes.count))
    var head = FieldWriter()
    head.number(Self.mark)
    head.number(Self.checksum(fields.bytes[...]))
    return head.bytes + fields.bytes
  }

  /// - Parameter bytes: `length` of them.
  /// - Returns: nil if they are not a valid entry: empty, half written, in another layout, or foreign.
  static func read(_ bytes: ArraySlice<UInt8>) -> (entry: CacheEntry, used: Int64)? {
    var fields = FieldReader(bytes)
    guard fields.number() == mark, fields.number() == checksum(bytes.dropFirst(16)) else { return nil }
    let url = URLDigest(&fields)
    let source = URLDigest(&fields)
    let policy = fields.number()
    let numbers = (0..<6).map { _ in Int64(bitPattern: fields.number()) }
    let basis = UInt8(exactly: fields.number()).flatMap { Freshness.Basis(rawValue: $0) }
    let texts = (0..<4).map { _ in fields.text() }
    guard let basis, let name = texts[0], let format = texts[1], numbers[0] >= 0,
      0...Freshness.longest ~= numbers[3]
    else { return nil }
    let entry = CacheEntry(
      url: url, source: source, policy: policy,
      file: File(name: name, size: Int(numbers[0]), format: format, contentType: texts[2]), basis: basis,
      lifetime: numbers[3], received: numbers[1], freshUntil: numbers[2], etag: texts[3],
      lastModified: numbers[5] == .min ? nil : HTTPDate(seconds: numbers[5]))
    // Sums of its times must not overflow, wherever they come from.
    guard 0...(1 << 60) ~= entry.received, entry.received...(1 << 61) ~= entry.freshUntil else { return nil }
    return (entry, numbers[4])
  }

  /// Detects half-written entries, and is no defence against a process that may write the file.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 { FNV1a.hash(bytes.span) }
}
