internal import Supporting

/// A method and a path, with the handler that answers requests for them.
package struct Route: Sendable {
  /// Its task is cancelled when the connection closes. Nothing but the handler limits its time.
  package typealias Handler = @Sendable (Request) async -> Response

  package enum Method: String, Sendable {
    /// Answers HEAD as well, without the body.
    case get = "GET"
    case post = "POST"

    var allowed: String { self == .get ? "GET, HEAD" : rawValue }
  }

  let method: Method
  let path: String
  let bodyLimit: Int
  let room: BodyRoom?
  let access: Access
  let refusal: @Sendable (Request) -> Response?
  let handler: Handler

  /// - Parameters:
  ///   - bodyLimit: the longest request body, in bytes. The whole body is kept in memory.
  ///   - room: the memory for the bodies of all its requests together; nil for no limit.
  ///   - refusal: asked with the head of each request, before its body is read. An answer ends the connection.
  package init(
    _ path: String, _ method: Method = .get, bodyLimit: Int = 8_192, in room: BodyRoom? = nil,
    for access: Access = .anyone, unless refusal: @escaping @Sendable (Request) -> Response? = { _ in nil },
    _ handler: @escaping Handler
  ) {
    self.method = method
    self.path = path
    self.bodyLimit = bodyLimit
    self.room = room
    self.access = access
    self.refusal = refusal
    self.handler = handler
  }
}

/// Who may use a route.
package enum Access: Sendable {
  case anyone
  /// Clients that send this token (RFC 6750 section 2.1). An empty token admits no client.
  case bearer(token: String)

  /// Takes the same time for a token that is nearly right as for one that is all wrong.
  func admits(_ field: String?) -> Bool {
    guard case .bearer(let token) = self else { return true }
    let scheme = "bearer ".utf8
    guard let field = field?.utf8, !token.isEmpty,
      field.prefix(scheme.count).map(\.lowercasedASCII).elementsEqual(scheme)
    else { return false }
    let shown = Array(field.dropFirst(scheme.count))
    var difference = shown.count ^ token.utf8.count
    for (index, byte) in token.utf8.enumerated() {
      difference |= Int(byte ^ (index < shown.count ? shown[index] : 0))
    }
    return difference == 0
  }
}
