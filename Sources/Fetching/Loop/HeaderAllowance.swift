/// What the headers of all responses that are under way may take together: libcurl keeps each line until its
/// transfer ends.
final class HeaderAllowance {
  /// Bytes that each response has for itself, which is more than honest ones send.
  static let own = 8_192
  /// Bytes that responses with more than that share.
  static let shared = 262_144

  private var taken = 0

  /// - Parameter size: of the headers of one response, in bytes.
  /// - Returns: whether there is room for another `count` bytes of them.
  func take(_ count: Int, behind size: Int) -> Bool {
    let more = Self.share(of: size + count) - Self.share(of: size)
    guard taken + more <= Self.shared else { return false }
    taken += more
    return true
  }

  /// The response with headers of `size` bytes has come to its end.
  func giveBack(_ size: Int) { taken -= Self.share(of: size) }

  private static func share(of size: Int) -> Int { max(0, size - own) }
}
