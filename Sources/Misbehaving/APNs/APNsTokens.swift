internal import Notifications
internal import Supporting

/// The provider tokens (RFC 7519) that a mock has seen, on all connections.
struct APNsTokens {
  private let key: APNsKey
  private let lifetime, interval: Int
  /// The newest accepted token, without `bearer`, its time of issue, and when it first came.
  private var current: [UInt8] = []
  private var issued = 0
  private var since = 0
  private(set) var count = 0

  init(_ key: APNsKey, _ behaviour: APNsBehaviour) {
    self.key = key
    lifetime = Int(behaviour.tokenLifetime.components.seconds)
    interval = Int(behaviour.tokenInterval.components.seconds)
  }

  /// Returns what is wrong with the header `authorization`; nil if nothing is.
  /// - Parameter now: in seconds since 1970.
  mutating func check(_ authorization: [UInt8], at now: Int) -> APNsReason? {
    guard !authorization.isEmpty else { return .MissingProviderToken }
    let prefix = Array("bearer ".utf8)
    guard authorization.count > prefix.count, authorization.prefix(prefix.count).map({ $0 | 0x20 }) == prefix
    else { return .InvalidProviderToken }
    let token = authorization.dropFirst(prefix.count)
    if token.elementsEqual(current) { return now - issued > lifetime ? .ExpiredProviderToken : nil }
    let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let head = Self.object(parts[0]), let claims = Self.object(parts[1]),
      let signature = Self.decode(parts[2]), head.root["alg"]?.string == "ES256",
      head.root["kid"]?.string == key.id, claims.root["iss"]?.string == key.team,
      let iat = claims.root["iat"]?.number,
      key.verifies(signature, of: Array(token.dropLast(parts[2].count + 1)))
    else { return .InvalidProviderToken }
    // Some clients write a fraction (RFC 7519 section 2).
    guard abs(Double(now) - iat) <= Double(lifetime) else { return .ExpiredProviderToken }
    guard current.isEmpty || now - since >= interval else { return .TooManyProviderTokenUpdates }
    (current, issued, since) = (Array(token), Int(iat), now)
    count += 1
    return nil
  }

  private static func object(_ text: ArraySlice<UInt8>) -> JSONDocument? {
    decode(text).flatMap { try? JSONDocument($0) }
  }

  private static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    BaseEncoding.base64URL.bytes(of: text.span)
  }
}
