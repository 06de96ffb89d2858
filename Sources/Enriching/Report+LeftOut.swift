extension Report {
  /// The most payloads to name.
  private static let most = 10
  /// The longest place to show, in bytes.
  private static let longest = 64

  /// The payloads that stay unmodified although others of the message are enriched, and why:
  /// `2 of 3: APNS_VOIP invalid-payload, MACOS no-media`. Nil if there are none. At most 1,000 bytes of visible ASCII
  /// and spaces, for headers and log lines.
  package var leftOut: String? {
    guard failure == nil, !failures.isEmpty else { return nil }
    let left = places.indices.compactMap { index in
      failures.first { $0.path == places[index] }.map { "\(name(of: index)) \($0.failure.reason.rawValue)" }
    }
    let more = left.count > Self.most ? ", and \(left.count - Self.most) more" : ""
    return "\(left.count) of \(places.count): \(left.prefix(Self.most).joined(separator: ", "))\(more)"
  }

  /// The place of a payload. If it is long or has other characters, its number, from 0: `#3`.
  private func name(of index: Int) -> String {
    let place = places[index].utf8
    let isShown =
      place.count <= Self.longest && place.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: ",") }
    return isShown ? places[index] : "#\(index)"
  }
}
