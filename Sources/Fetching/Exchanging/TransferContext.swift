final class TransferContext {
  let settings: FetchSettings
  let connections: Connections
  let headers: CurlList
  let turn: LoopTurn
  /// Transfers whose head arrived in this turn, and those whose server broke HTTP/2's rules.
  var news: [Exchange.ID] = []
  var broken: [Exchange.ID] = []
  /// How much of `WireMonitor.sharedHeaderBytes` is in use.
  var sharedHeaderBytes = 0
  var trust: TrustStore?
  private var roots = LastFew<URLParts>()

  init(_ settings: FetchSettings, _ connections: Connections) throws(FetchError) {
    self.settings = settings
    self.connections = connections
    headers = try CurlList(EasyHandle.requestHeaders(settings))
    turn = LoopTurn(buffer: settings.receiveBufferBytes)
  }

  /// Parses a root only once, because libcurl copies it (`CURLOPT_CURLU(3)`). Saves 2 % of the cost
  /// of a small image.
  func root(of url: RemoteURL) throws(FetchError) -> URLParts {
    let text = url.root.text
    if let known = roots.recall({ $0.text == text }) { return known }
    let root = try URLParts(text)
    roots.append(root)
    return root
  }
}
