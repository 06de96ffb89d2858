/// Answers that point elsewhere.
extension Connection {
  /// A redirect to what `location` says, verbatim.
  func redirect(to location: String, status: Int = 302, body: Body? = nil) async throws -> Ending {
    try await serve(
      Response(
        body ?? .bytes([]), as: body == nil ? nil : "text/html", status: status,
        fields: [Response.Field("Location", location)],
        framing: body == nil ? .contentLength : .chunked(65_536)))
  }

  /// A redirect to the same path, whose query counts the hops.
  func redirectToNextHop(after request: Request) async throws -> Ending {
    try await redirect(to: "\(request.path)?hop=\(request.hop + 1)")
  }
}
