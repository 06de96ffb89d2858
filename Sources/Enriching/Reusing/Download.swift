internal import Caching
internal import Fetching
internal import Supporting

/// The result of a fetch, with the responses that decide on its reuse. A class, because async frames
/// hold it.
final class Download: Sendable {
  /// Nil if the server answered that the file has not changed.
  let file: CachedFile?
  /// The redirects and the last response.
  private let answers: [Fetched.Answer]
  let source: String
  /// When the fetch began and when it was complete, in milliseconds since 1970.
  private let requested: Int64
  private let received: Int64
  private let wasEncrypted: Bool

  /// - Parameter wasEncrypted: whether the file was decrypted on arrival. If so, it is not shared.
  init(_ file: CachedFile?, _ fetched: Fetched, requested: Int64, wasEncrypted: Bool) {
    self.file = file
    answers = fetched.answers
    source = fetched.source.text
    self.requested = requested
    received = WallClock.milliseconds
    self.wasEncrypted = wasEncrypted
  }

  /// - Throws: `Failure` if the server sent no file.
  func sentFile() throws(Failure) -> CachedFile {
    guard let file else { throw Failure(.httpStatus, "the server answered 304") }
    return file
  }

  /// - Returns: nil if the file may not be shared, or if it has changed since `previous`.
  func reuse(after previous: CacheEntry? = nil) -> Reuse? {
    if wasEncrypted { return nil }
    return Reuse(of: responses, requested: requested, received: received, previous: previous)
  }

  /// Whether a server may have sent another file to another User-Agent.
  var dependsOnUserAgent: Bool { responses.contains { $0.varies(by: "user-agent") } }

  private var responses: [Response] {
    answers.map { Response(status: $0.status, fields: $0.reuse.values) }
  }
}

extension CacheEntry {
  /// Header lines that ask whether `url` still has this file. Empty if it came from another URL.
  func conditions(for url: RemoteURL) -> [String] { URLDigest(url.text) == source ? conditions : [] }
}
