/// The topics in Apple's extension 1.2.840.113635.100.6.3.6 of a certificate, in DER (X.690 section 8): a
/// sequence of texts, each followed by a sequence with its kind, such as `app` or `voip`.
enum CertificateTopics {
  /// The most topics that are read. Apple writes about seven.
  private static let maximumCount = 64

  /// - Returns: nil if the bytes are not such a sequence.
  static func read(_ bytes: [UInt8]) -> [String]? {
    var whole = bytes[...]
    guard let sequence = element(&whole), sequence.tag == 0x30, whole.isEmpty else { return nil }
    var rest = sequence.content
    var topics: [String] = []
    while !rest.isEmpty {
      guard let next = element(&rest) else { return nil }
      guard next.tag == 0x0C, topics.count < maximumCount else { continue }
      guard let topic = String(validating: next.content, as: UTF8.self) else { return nil }
      topics.append(topic)
    }
    return topics
  }

  /// Takes an element from the front of `bytes`. Its tag and its length are each in DER's shortest form.
  private static func element(_ bytes: inout ArraySlice<UInt8>) -> (tag: UInt8, content: ArraySlice<UInt8>)? {
    // A tag of several bytes has the lowest five bits set.
    guard let tag = bytes.popFirst(), tag & 0x1F != 0x1F, let first = bytes.popFirst() else { return nil }
    var length = Int(first)
    if first >= 0x80 {
      let digits = bytes.prefix(Int(first & 0x7F))
      guard (1...3).contains(digits.count), digits.count == Int(first & 0x7F) else { return nil }
      length = digits.reduce(0) { $0 << 8 | Int($1) }
      guard length >= 0x80, digits.first != 0 else { return nil }
      bytes = bytes.dropFirst(digits.count)
    }
    guard bytes.count >= length else { return nil }
    defer { bytes = bytes.dropFirst(length) }
    return (tag, bytes.prefix(length))
  }
}
