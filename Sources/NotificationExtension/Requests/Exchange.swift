internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// One HTTP request, with a limit on the length of its answer. An extension has 12 MB of memory, so long answers go to
/// a file in pieces.
final class Exchange: NSObject, URLSessionDataDelegate, Sendable {
  struct Answer: Sendable {
    var status = 0
    /// Bytes of the body.
    var length = 0
    /// Empty if the body went to a file.
    var body = Data()
    /// The SHA-256 of the body, if it went to a file.
    var digest: [UInt8] = []
  }

  enum Failure: Error, Equatable {
    /// With the status, because the page of an error may be longer than the file.
    case tooLong(status: Int?)
    case cannotWrite, cancelled
    /// It was not HTTP.
    case noAnswer
  }

  private struct State {
    var answer = Answer()
    var digest = SHA256Digest()
    var failure: Failure?
    var waiting: CheckedContinuation<Answer, any Error>?
    /// The first one counts.
    var result: Result<Answer, any Error>?
  }

  private let maximum: Int
  private let file: FileHandle?
  private let followsRedirects: Bool
  private let state = Locked(State())

  /// - Parameters:
  ///   - maximum: the longest body, in bytes.
  ///   - file: gets the body; nil to keep it in memory.
  ///   - followsRedirects: whether to follow redirects to the same scheme. Any other redirect is the answer.
  init(atMost maximum: Int, into file: FileHandle? = nil, followsRedirects: Bool = true) {
    (self.maximum, self.file, self.followsRedirects) = (maximum, file, followsRedirects)
  }

  /// Runs the request. Call it once.
  func run(_ request: URLRequest) async throws -> Answer {
    let session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    let task = session.dataTask(with: request)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiting in
        let result = state.withLock { state in
          if state.result == nil { state.waiting = waiting }
          return state.result
        }
        if let result { waiting.resume(with: result) } else { task.resume() }
      }
    } onCancel: {
      task.cancel()
      // URLSession may take a while to notice.
      finish { _ in .failure(Failure.cancelled) }
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    let isAllowed = followsRedirects && request.url?.scheme == task.originalRequest?.url?.scheme
    completionHandler(isAllowed ? request : nil)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let failure = state.withLock { state in
      guard state.failure == nil else { return state.failure }
      state.answer.length += data.count
      if state.answer.length > maximum {
        state.failure = .tooLong(status: (dataTask.response as? HTTPURLResponse)?.statusCode)
      } else if let file {
        state.digest.update(data)
        do { try file.write(contentsOf: data) } catch { state.failure = .cannotWrite }
      } else {
        state.answer.body += data
      }
      return state.failure
    }
    if failure != nil { dataTask.cancel() }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    finish { [file] state in
      if let failure = state.failure { return .failure(failure) }
      if let error { return .failure(error) }
      guard let answer = task.response as? HTTPURLResponse else { return .failure(Failure.noAnswer) }
      state.answer.status = answer.statusCode
      if file != nil { state.answer.digest = state.digest.finish() }
      return .success(state.answer)
    }
  }

  private func finish(_ result: (inout State) -> Result<Answer, any Error>) {
    let ended = state.withLock {
      state -> (CheckedContinuation<Answer, any Error>, Result<Answer, any Error>)? in
      guard state.result == nil else { return nil }
      let result = result(&state)
      state.result = result
      defer { state.waiting = nil }
      return state.waiting.map { ($0, result) }
    }
    if let (waiting, result) = ended { waiting.resume(with: result) }
  }
}
