import Glibc

/// The little of the DNS message format (RFC 1035 section 4) that a test server needs.
struct NameMessage {
  let question: NameQuestion
  /// The identifier, and then the question section, as they were received.
  private let identifier: [UInt8]
  private let section: ArraySlice<UInt8>

  /// Parses a query with one question; nil for anything else.
  init?(query bytes: [UInt8]) {
    // Header: identifier, flags, four counts (section 4.1.1). The first flag is set in answers.
    guard bytes.count > 12, bytes[2] & 0x80 == 0, bytes[4] == 0, bytes[5] == 1 else { return nil }
    var labels: [String] = []
    var place = 12
    // Labels with their lengths, ended by an empty one; queries use no compression (section 4.1.2).
    while place < bytes.count, bytes[place] != 0 {
      let length = Int(bytes[place])
      guard length < 64, place + 1 + length < bytes.count else { return nil }
      labels.append(String(decoding: bytes[(place + 1)...(place + length)], as: UTF8.self).lowercased())
      place += 1 + length
    }
    guard place + 4 < bytes.count else { return nil }
    let kind = UInt16(bytes[place + 1]) << 8 | UInt16(bytes[place + 2])
    question = NameQuestion(name: labels.joined(separator: "."), kind: NameQuestion.Kind(rawValue: kind))
    identifier = Array(bytes[0..<2])
    section = bytes[12..<(place + 5)]
  }

  /// Response codes (section 4.1.1).
  private enum Code: UInt8 {
    case noError = 0
    case serverFailure = 2
    case nameError = 3
    case refused = 5
  }

  /// The reply to this query; nil for silence. The server itself resolves `late`, `inTurn` and
  /// `perFamily`, which are silence here.
  func reply(_ answer: NameAnswer) -> [UInt8]? {
    switch answer {
    case .addresses(let v4, let v6, let ttl):
      return encoded(records: addresses(v4, v6).map { record(question.kind, ttl, data: $0) })
    case .alias(let target, let v4, let v6, let ttl):
      let name = Self.encode(target)
      let alias = record(rawKind: 5, ttl, data: name)
      return encoded(
        records: [alias] + addresses(v4, v6).map { record(question.kind, ttl, of: name, data: $0) })
    case .nameError: return encoded(.nameError)
    case .serverFailure: return encoded(.serverFailure)
    case .refused: return encoded(.refused)
    case .truncated, .overTCP: return encoded(truncated: true)
    case .wrongIdentifier(let answer):
      return reply(answer).map { [$0[0] ^ 0xff, $0[1] ^ 0xff] + $0.dropFirst(2) }
    case .cutShort(let answer): return reply(answer)?.dropLast(3)
    case .silence, .late, .inTurn, .perFamily: return nil
    }
  }

  private func encoded(_ code: Code = .noError, records: [[UInt8]] = [], truncated: Bool = false) -> [UInt8] {
    // A response, with recursion desired and available; then one question and the answers.
    let flags: [UInt8] = [0x81 | (truncated ? 0x02 : 0), 0x80 | code.rawValue]
    return identifier + flags + [0, 1] + Self.bigEndian(UInt16(records.count)) + [0, 0, 0, 0] + section
      + records.joined()
  }

  private func addresses(_ v4: [String], _ v6: [String]) -> [[UInt8]] {
    switch question.kind {
    case .a: v4.compactMap { Self.bytes(of: $0, AF_INET, count: 4) }
    case .aaaa: v6.compactMap { Self.bytes(of: $0, AF_INET6, count: 16) }
    case nil: []
    }
  }

  /// A resource record (section 4.1.3). Its name is a pointer to the question's name unless another
  /// one is given (section 4.1.4).
  private func record(
    _ kind: NameQuestion.Kind?, _ ttl: UInt32, of name: [UInt8] = [0xc0, 12], data: [UInt8]
  ) -> [UInt8] {
    record(rawKind: kind?.rawValue ?? 0, ttl, of: name, data: data)
  }

  private func record(
    rawKind: UInt16, _ ttl: UInt32, of name: [UInt8] = [0xc0, 12], data: [UInt8]
  ) -> [UInt8] {
    name + Self.bigEndian(rawKind) + [0, 1] + Self.bigEndian(ttl) + Self.bigEndian(UInt16(data.count)) + data
  }

  private static func encode(_ name: String) -> [UInt8] {
    name.split(separator: ".").flatMap { [UInt8(truncatingIfNeeded: $0.utf8.count)] + Array($0.utf8) } + [0]
  }

  private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private static func bytes(of address: String, _ family: Int32, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return unsafe inet_pton(family, address, &bytes) == 1 ? bytes : nil
  }
}
