internal import Supporting

package struct FetchSettings: Sendable {
  /// Transfers that may run even if memory is short.
  package static let leastTransfers = 8

  package var allowsHTTP = false
  /// Redirects from https to http.
  package var allowsDowngrade = false
  /// Ports beyond 443 for https and 80 for http.
  package var allowedPorts: Set<Int> = []
  package var addresses = AddressPolicy()
  /// PEM file of authorities that are trusted beside the system's.
  package var certificateFile: String?
  /// Asked instead of those of /etc/resolv.conf: `ADDRESS[:PORT]`, separated by commas.
  package var nameServers: String?
  /// Transfers and connections at once.
  package var concurrency = 64
  /// How hosts share them; nil for a single payload.
  package var hosts: HostLimits?
  /// HTTP/2 (over TLS) takes up to 120 KB more a connection.
  package var offersHTTP2 = true
  package var maximumRedirects = 3
  /// Tries of one request whose failure is transient.
  package var maximumAttempts = 3
  /// The longest `Retry-After` that is waited for.
  package var longestPause = Duration.seconds(2)
  /// Of one response, with informational heads and trailers. A line counts as 64 at least.
  package var maximumHeaderBytes = 65_536
  /// Bytes of one read; each transfer holds as many. Pieces of a body are 16 KB at most.
  package var receiveBufferBytes = 16_384
  package var maximumBodyBytes = 50_000_000
  /// Connections that a multi handle opens before another replaces it: `CurlMultis`.
  package var handleLifetime = 2_048
  /// Whether there is memory for one more transfer; otherwise it waits in `HeldExchanges`. Asked on the
  /// transfer loop's thread, with the number of transfers that are in a TLS handshake.
  package var hasRoom: @Sendable (_ handshakes: Int) -> Bool = { _ in true }

  package init() {}

  /// The TCP ports of servers and, for answers that are too long for UDP, of name servers.
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

  /// Of a redirect. Also throws `FetchError.downgradeNotAllowed`.
  func check(_ url: RemoteURL, after other: RemoteURL) throws(FetchError) {
    try check(url)
    guard allowsDowngrade || other.scheme == .http || url.scheme == .https else { throw .downgradeNotAllowed }
  }
}
