internal import Supporting

package struct FetchSettings: Sendable {
  /// - Parameters:
  ///   - handshakes: the number of transfers in a TLS handshake.
  ///   - isOverdue: whether the transfer has waited for as long as it should.
  package typealias HasRoom = @Sendable (_ handshakes: Int, _ isOverdue: Bool) -> Bool

  /// The number of transfers that may run even if memory is short.
  package static let leastTransfers = 8

  package var allowsHTTP = false
  /// Whether redirects from https to http are followed.
  package var allowsDowngrade = false
  /// Ports that are allowed in addition to 443 for https and 80 for http.
  package var allowedPorts: Set<Int> = []
  package var addresses = AddressPolicy()
  /// PEM file of authorities to trust in addition to the system's (`CertificateAuthorities`).
  package var certificateFile: String?
  /// Name servers instead of those in /etc/resolv.conf: `ADDRESS[:PORT]`, separated by commas.
  package var nameServers: String?
  /// The maximum number of transfers, and of connections, at the same time.
  package var concurrency = 64
  /// How hosts share the transfers; nil for a single payload.
  package var hosts: HostLimits?
  /// HTTP/2 (only over TLS) takes up to 120 KB more per connection.
  package var offersHTTP2 = true
  /// Four are common: from http to https, to www, to a CDN, and to signed storage.
  package var maximumRedirects = 10
  package var userAgent = "push-enricher"
  /// How many times one request is tried if it fails for a transient reason.
  package var maximumAttempts = 3
  /// The longest `Retry-After` to wait for.
  package var longestPause = Duration.seconds(2)
  /// Limit in bytes for a response's heads, including informational ones, and its trailers. Each
  /// line counts as at least 64.
  package var maximumHeaderBytes = 65_536
  /// Bytes of one read, and of each transfer's buffer. Pieces of a body are at most 16 KB.
  package var receiveBufferBytes = 16_384
  package var maximumBodyBytes = 50_000_000
  /// Connections that a multi handle opens before another one replaces it (`CurlMultis`).
  package var handleLifetime = 2_048
  /// Whether there is memory for one more transfer. If not, the transfer waits in `HeldExchanges`.
  /// Called on the transfer loop's thread.
  package var hasRoom: HasRoom = { _, _ in true }

  package init() {}

  /// The TCP ports of media servers, and of name servers, which send long answers over TCP.
  package var ports: Set<Int> {
    let named = nameServers?.split(separator: ",").map { server in
      IPAddress(String(server)) == nil ? server.hostAndPort.port.flatMap { Int($0) } : nil
    }
    return allowedPorts.union(allowsHTTP ? [80, 443] : [443]).union((named ?? [nil]).map { $0 ?? 53 })
  }

  func check(_ url: RemoteURL) throws(FetchError) {
    guard url.scheme == .https || allowsHTTP else { throw .schemeNotAllowed(url.scheme.rawValue) }
    guard url.port == url.scheme.port || allowedPorts.contains(url.port) else {
      throw .portNotAllowed(url.port)
    }
  }

  /// Checks the target of a redirect from `other`. Also throws `FetchError.downgradeNotAllowed`.
  func check(_ url: RemoteURL, after other: RemoteURL) throws(FetchError) {
    try check(url)
    guard allowsDowngrade || other.scheme == .http || url.scheme == .https else { throw .downgradeNotAllowed }
  }
}
