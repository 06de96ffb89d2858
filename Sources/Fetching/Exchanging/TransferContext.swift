/// What all transfers of the loop share.
final class TransferContext {
  let settings: FetchSettings
  let connections: Connections
  let headers: CurlList
  let turn: LoopTurn
  /// Transfers whose head has come, and those whose server broke the rules of HTTP/2, in this turn.
  var news: [Exchange.ID] = []
  var broken: [Exchange.ID] = []
  /// Taken of `WireMonitor.sharedHeaderBytes`.
  var sharedHeaderBytes = 0
  var trust: TrustStore?
  private var roots = LastFew<URLParts>()

  init(_ settings: FetchSettings, _ connections: Connections) throws(FetchError) {
    self.settings = settings
    self.connections = connections
    headers = try CurlList(EasyHandle.requestHeaders)
    turn = LoopTurn(buffer: settings.receiveBufferBytes)
  }

  /// Parsed once for all transfers (`CURLOPT_CURLU(3)`), 2 % of a small image: libcurl copies it.
  func root(of url: RemoteURL) throws(FetchError) -> URLParts {
    let text = url.root.text
    if let known = roots.recall({ $0.text == text }) { return known }
    let root = try URLParts(text)
    roots.append(root)
    return root
  }
}
