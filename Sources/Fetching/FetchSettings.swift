/// What a fetch may do. The same for every URL of a process.
package struct FetchSettings: Sendable {
  /// As many transfers are under way even where memory is short: something must go on.
  package static let leastTransfers = 8

  /// Whether `http://` is fetched too; https only otherwise.
  package var allowsHTTP = false
  /// Whether a redirect may lead from `https://` to `http://`, if that is fetched at all.
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
  /// How hosts share them; nil where nobody has to share, as with one payload.
  package var hosts: HostLimits?
  /// Whether servers are offered HTTP/2, over TLS. It takes up to 120 KB more a connection.
  package var offersHTTP2 = true
  /// Redirects that are followed for one URL.
  package var maximumRedirects = 3
  /// Tries of one request whose failure is transient.
  package var maximumAttempts = 3
  /// What a server may ask to be left alone for before the next try. Whoever waits has room that others could
  /// use.
  package var longestPause = Duration.seconds(2)
  /// Headers of all kinds of one response, informational answers and trailers included, in bytes. A line
  /// counts for 64 at least.
  package var maximumHeaderBytes = 65_536
  /// What one read of a connection takes at most, in bytes; each transfer holds as much. Pieces of a body are
  /// 16 KB at most.
  package var receiveBufferBytes = 16_384
  /// No body is longer than this, whatever it is, in bytes.
  package var maximumBodyBytes = 50_000_000

  /// Connections that a handle of libcurl opens before another takes its place: `CurlMultis`.
  package var handleLifetime = 2_048

  /// Whether there is room in memory for one more transfer beside those under way, so many of which are in a
  /// handshake: asked on the transfer loop's thread. Where there is none, transfers wait: `HeldExchanges`.
  package var hasRoom: @Sendable (_ handshakes: Int) -> Bool = { _ in true }

  package init() {}

  /// - Throws: `FetchError.schemeNotAllowed`, `.portNotAllowed`.
  func check(_ url: RemoteURL) throws(FetchError) {
    guard url.scheme == .https || allowsHTTP else { throw .schemeNotAllowed(url.scheme.rawValue) }
    guard url.port == (url.scheme == .https ? 443 : 80) || allowedPorts.contains(url.port) else {
      throw .portNotAllowed(url.port)
    }
  }

  /// The same for a URL that a redirect of another one leads to.
  /// - Throws: also `FetchError.downgradeNotAllowed`.
  func check(_ url: RemoteURL, after other: RemoteURL) throws(FetchError) {
    try check(url)
    guard allowsDowngrade || other.scheme == .http || url.scheme == .https else { throw .downgradeNotAllowed }
  }
}
