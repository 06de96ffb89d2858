internal import Supporting

/// The layout of an entry in the cache's file: mark, checksum of the rest, numbers, texts, zeros.
extension CacheEntry {
  /// The size of an entry, in bytes.
  static let length = 512
  /// The longest text in an entry, in bytes. With a name of 69, a format of 15 and two such texts, 8 bytes of the
  /// entry are left.
  static let maximumText = 120
  /// "push" and the number of the layout. Entries of other layouts are not read.
  private static let mark: UInt64 = 0x7075_7368_0000_0002

  /// - Parameter used: when the entry was last used, in milliseconds since 1970.
  func bytes(used: Int64) -> [UInt8] {
    var fields: [UInt8] = []
    for digest in [url, source] {
      for word in [digest.first, digest.second, digest.third, digest.fourth] { fields.append(word) }
    }
    fields.append(policy)
    for number in [
      Int64(file.size), reuse.received, reuse.received + reuse.freshness.rest, reuse.freshness.lifetime, used,
      reuse.lastModified?.seconds ?? .min, Int64(reuse.freshness.basis.rawValue),
    ] { fields.append(UInt64(bitPattern: number)) }
    for text in [file.name, file.format, file.contentType, reuse.etag] { fields.append(text) }
    for place in 0..<4 { fields.append(UInt64(bitPattern: Int64(file.numbers[place]))) }
    fields += [UInt8](repeating: 0, count: max(0, Self.length - 16 - fields.count))
    var head: [UInt8] = []
    head.append(Self.mark)
    head.append(FNV1a.hash(fields.span))
    return head + fields
  }

  /// Whether a slot holds an entry, of whatever layout. It may be damaged.
  static func hasMark(_ slot: ArraySlice<UInt8>) -> Bool {
    var fields = EntryFields(rest: slot)
    return fields.number() >> 8 == mark >> 8
  }

  /// Returns nil for anything but a valid entry. The checksum detects damage, not forgery.
  static func read(_ bytes: ArraySlice<UInt8>) -> (entry: CacheEntry, used: Int64)? {
    var fields = EntryFields(rest: bytes)
    let content = bytes.dropFirst(16)
    guard fields.number() == mark, fields.number() == FNV1a.hash(content.span) else { return nil }
    let (url, source) = (URLDigest(&fields), URLDigest(&fields))
    let policy = fields.number()
    let numbers = (0..<7).map { _ in Int64(bitPattern: fields.number()) }
    let texts = (0..<4).map { _ in fields.text() }
    var facts = SIMD4<Int>.zero
    for place in 0..<4 { facts[place] = Int(truncatingIfNeeded: fields.number()) }
    let (received, freshUntil, lifetime) = (numbers[1], numbers[2], numbers[3])
    guard let basis = UInt8(exactly: numbers[6]).flatMap({ Freshness.Basis(rawValue: $0) }),
      let name = texts[0], let format = texts[1], numbers[0] >= 0, 0...Freshness.longest ~= lifetime,
      // Sums of these times must not overflow.
      0...(1 << 60) ~= received, received...(1 << 61) ~= freshUntil
    else { return nil }
    let reuse = Reuse(
      freshness: Freshness(basis: basis, lifetime: lifetime, rest: freshUntil - received), received: received,
      etag: texts[3], lastModified: numbers[5] == .min ? nil : HTTPDate(seconds: numbers[5]))
    let file = CachedFile(
      name: name, size: Int(numbers[0]), format: format, contentType: texts[2], numbers: facts)
    return (CacheEntry(url: url, source: source, policy: policy, file: file, reuse: reuse), numbers[4])
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ number: UInt64) {
    for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  /// Leaves out a text that is longer than `CacheEntry.maximumText`.
  fileprivate mutating func append(_ text: String?) {
    guard let text, text.utf8.count <= CacheEntry.maximumText else { return append(UInt8.max) }
    append(UInt8(text.utf8.count))
    append(contentsOf: text.utf8)
  }
}

/// Reads numbers and texts. Past the end, it reads zeros.
struct EntryFields {
  var rest: ArraySlice<UInt8>

  mutating func number() -> UInt64 {
    defer { rest = rest.dropFirst(8) }
    return rest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Returns nil for a text that was left out.
  mutating func text() -> String? {
    guard let count = rest.popFirst(), Int(count) <= CacheEntry.maximumText else { return nil }
    defer { rest = rest.dropFirst(Int(count)) }
    return String(decoding: rest.prefix(Int(count)), as: UTF8.self)
  }
}
