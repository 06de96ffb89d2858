internal import Supporting

package struct FetchSettings: Sendable {
  /// Transfers that are under way even if memory is short: something must go on.
  package static let leastTransfers = 8

  /// Whether `http://` is fetched too; https only otherwise.
  package var allowsHTTP = false
  /// Whether a redirect may lead from `https://` to an `http://` that is fetched.
  package var allowsDowngrade = false
  /// Ports beyond 443 for https and 80 for http.
  package var allowedPorts: Set<Int> = []
  package var addresses = AddressPolicy()
  /// PEM file of certificate authorities that are trusted beside the system's.
  package var certificateFile: String?
  /// Name servers to ask instead of those of /etc/resolv.conf: `ADDRESS[:PORT]`, separated by commas.
  package var nameServers: String?
  /// Transfers and connections at once.
  package var concurrency = 64
  /// How hosts share them; nil if nobody has to share, as with one payload.
  package var hosts: HostLimits?
  /// Whether servers are offered HTTP/2, over TLS. It takes up to 120 KB more a connection.
  package var offersHTTP2 = true
  package var maximumRedirects = 3
  /// Tries of one request whose failure is transient.
  package var maximumAttempts = 3
  /// The longest time that a server may ask to be left alone for: others could use the room.
  package var longestPause = Duration.seconds(2)
  /// Of one response, with informational answers and trailers. A line counts as 64 at least.
  package var maximumHeaderBytes = 65_536
  /// Bytes of one read of a connection; each transfer holds as many. Pieces of a body are 16 KB at most.
  package var receiveBufferBytes = 16_384
  package var maximumBodyBytes = 50_000_000
  /// Connections that a handle of libcurl opens before another takes its place: `CurlMultis`.
  package var handleLifetime = 2_048
  /// Whether there is memory for one more transfer beside those under way, so many of which are in a
  /// handshake. Asked on the transfer loop's thread. If there is none, transfers wait: `HeldExchanges`.
  package var hasRoom: @Sendable (_ handshakes: Int) -> Bool = { _ in true }

  package init() {}

  /// The TCP ports of servers and of name servers, which are asked over TCP if an answer is too long for UDP.
  package var ports: Set<Int> {
    let named = nameServers?.split(separator: ",").map { server in
      IPAddress(String(server)) == nil ? server.hostAndPort.port.flatMap { Int($0) } : nil
    }
    let ports = allowedPorts.union([443]).union(allowsHTTP ? [80] : [])
    return ports.union((named ?? [nil]).map { $0 ?? 53 })
  }

  func check(_ url: RemoteURL) throws(FetchError) {
    guard url.scheme == .https || allowsHTTP else { throw .schemeNotAllowed(url.scheme.rawValue) }
    guard url.port == (url.scheme == .https ? 443 : 80) || allowedPorts.contains(url.port) else {
      throw .portNotAllowed(url.port)
    }
  }

  /// Of a redirect. Also throws `FetchError.downgradeNotAllowed`.
  func check(_ url: RemoteURL, after other: RemoteURL) throws(FetchError) {
    try check(url)
    guard allowsDowngrade || other.scheme == .http || url.scheme == .https else { throw .downgradeNotAllowed }
  }
}
