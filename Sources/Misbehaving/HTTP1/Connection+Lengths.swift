/// Bodies that are not as long as their headers say.
extension Connection {
  /// The lengths as given, whatever the body.
  func announce(_ lengths: [String], _ response: Response) async throws {
    try await send(response.head(framing: lengths.map { Response.Field("Content-Length", $0) }))
    try await response.body.forEachPiece { try await send($0) }
  }

  /// All that was announced, less the second half.
  func serveHalf(of response: Response) async throws {
    try await send(response.head(framing: try response.framingFields()))
    try await sendBody(of: response, limit: try response.body.length() / 2)
  }

  /// Two marks of the end that contradict each other: what lets requests be smuggled past a proxy.
  func serveWithLengthAndChunks(_ response: Response) async throws {
    var chunked = response
    if case .chunked = response.framing {} else { chunked.framing = .chunked(16_384) }
    let length = Response.Field("Content-Length", "\(try response.body.length())")
    try await send(chunked.head(framing: [length] + chunked.framingFields()))
    try await sendBody(of: chunked)
  }
}
