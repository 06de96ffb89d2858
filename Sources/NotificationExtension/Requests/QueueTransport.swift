public import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Sends messages to the server's device API.
public protocol QueueTransport: Sendable {
  /// Posts JSON.
  /// - Parameters:
  ///   - path: `v1/missed` or `v1/receipts`.
  ///   - ticket: goes into the header, as `Authorization: Bearer TICKET`.
  /// - Returns: the status and the body of the answer.
  func post(_ body: Data, to path: String, ticket: String) async throws -> (status: Int, body: Data)
}

/// The device API over HTTPS, without cookies and caches.
public struct HTTPTransport: QueueTransport {
  private let server: URL

  /// - Parameter server: the URL that precedes `v1/missed`, such as `https://push.example.com`.
  public init(_ server: URL) { self.server = server }

  public func post(_ body: Data, to path: String, ticket: String) async throws -> (status: Int, body: Data) {
    var request = URLRequest(url: server.appendingPathComponent(path))
    request.httpMethod = "POST"
    request.httpBody = body
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue("Bearer \(ticket)", forHTTPHeaderField: "Authorization")
    // Answers have a few hundred bytes. The ticket is for this server only, so no redirect is followed.
    let answer = try await Exchange(atMost: 4_096, followsRedirects: false).run(request)
    return (answer.status, answer.body)
  }
}
