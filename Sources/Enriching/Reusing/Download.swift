internal import Caching
internal import Fetching
internal import Supporting

/// What a fetch has come to, and what its answers say about reuse.
struct Download: Sendable {
  /// Nil when the server said that what it was asked about has not changed.
  let kept: MediaIntake.Kept?
  private let contentType: String?
  /// The redirects that led to it, and the last answer.
  private let answers: [Answer]
  /// The URL that the last answer came from.
  let source: String
  /// When it began and when it was complete, in milliseconds since 1970.
  private let requested: Int64
  private let received: Int64
  private let wasEncrypted: Bool

  /// - Parameter wasEncrypted: whether the file was decrypted on its way: it is for nobody else then.
  init(kept: MediaIntake.Kept?, _ fetched: Fetched, requested: Int64, wasEncrypted: Bool) {
    self.kept = kept
    contentType = fetched.head.contentType
    answers = fetched.answers.map { Answer(status: $0.status, fields: $0.reuseFields) }
    source = fetched.source.text
    self.requested = requested
    received = WallClock.milliseconds
    self.wasEncrypted = wasEncrypted
  }

  /// - Throws: `Failure` when the server has sent none.
  func file() throws(Failure) -> ReusableFile {
    guard let kept else { throw Failure(.httpStatus, "the server answered 304") }
    return ReusableFile(kept, contentType: contentType)
  }

  /// - Returns: nil when it is for nobody else.
  func reuse(after previous: CacheEntry? = nil) -> Reuse? {
    wasEncrypted ? nil : Reuse(of: answers, requested: requested, received: received, previous: previous)
  }
}

extension CacheEntry {
  /// What asks the server of `url` whether this is still its file; nothing where redirects lead past the one whose file it is.
  func conditions(for url: RemoteURL) -> [String] { URLDigest(url.text) == source ? conditions : [] }
}
