/// Connections that break.
extension Connection {
  /// The headers, half the body, a reset.
  func reset(halfwayThrough response: Response) async throws {
    try await serveHalf(of: response)
    // The reset would overtake what the client has not read yet, and the half might look like nothing at all.
    try await Task.sleep(for: .milliseconds(50))
    try await reset()
  }
}
