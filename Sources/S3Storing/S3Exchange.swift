internal import Storing
internal import Supporting
internal import Synchronization

/// A request for one object, not yet signed.
struct S3Request: Sendable {
  var method = "PUT"
  /// The name of the object, without the prefix.
  let name: String
  var headers: [HTTPField] = []
  var body = HTTPRequest.Body.none
  /// The SHA-256 of the body, in lower-case hexadecimal digits.
  var payloadSHA256 = emptySHA256

  var hasFile: Bool { if case .file = body { true } else { false } }

  /// The SHA-256 of no bytes.
  static let emptySHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
}

/// Why a request failed.
enum S3Failure: Error, Equatable {
  case refused(S3Error)
  case unanswered(HTTPFailure)
  /// There are no credentials to sign it with.
  case unsigned(CredentialError)
  case late
}

/// Signs requests and sends them to the bucket. Sends them again if the answer gives a reason to.
final class S3Exchange: Sendable {
  /// How many times a request is sent, not counting tries with a remedy.
  static let tries = 3

  private let client: HTTPClient
  private let credentials: CredentialChain
  private let warn: @Sendable (String) -> Void
  private let signer = RequestSigner()
  /// What the answers have shown: where the bucket is, and how far the server's clock is ahead, in seconds.
  private let state: Mutex<(location: S3Location, clockOffset: Int64)>

  /// - Parameter warn: tells the operator what to change.
  init(
    _ location: S3Location, _ client: HTTPClient, _ credentials: CredentialChain,
    warn: @escaping @Sendable (String) -> Void
  ) {
    (self.client, self.credentials, self.warn) = (client, credentials, warn)
    state = Mutex((location, 0))
  }

  /// Where the bucket is. The server may have named a different region than the operator.
  var location: S3Location { state.withLock { $0.location } }

  /// Returns the answer if it is a success (2xx).
  /// - Parameter end: when the answer is of no use any more. A cancelled task tries nothing again.
  func perform(
    _ request: S3Request, until end: ContinuousClock.Instant
  ) async throws(S3Failure) -> HTTPAnswer {
    var tries = 1
    var remedies: Set<S3Error.Remedy> = []
    while true {
      let signedWith = try await currentCredentials()
      let (location, clockOffset) = state.withLock { $0 }
      let failure: S3Failure
      do throws(S3Failure) {
        return try await send(request, with: signedWith, to: location, clockOffset, until: end)
      } catch {
        failure = error
      }
      if Task.isCancelled { throw failure }
      switch failure.treatment {
      case .again where tries < Self.tries:
        tries += 1
        try await pause(before: tries, until: end, after: failure)
      case .once(let remedy) where remedies.insert(remedy).inserted:
        guard try await apply(remedy, after: failure, signedWith, location.region) else { throw failure }
      default: throw failure
      }
    }
  }

  private func currentCredentials() async throws(S3Failure) -> Credentials {
    do throws(CredentialError) {
      return try await credentials.current(now: WallClock.milliseconds / 1_000)
    } catch {
      throw .unsigned(error)
    }
  }

  private func send(
    _ unsigned: S3Request, with credentials: Credentials, to location: S3Location, _ clockOffset: Int64,
    until end: ContinuousClock.Instant
  ) async throws(S3Failure) -> HTTPAnswer {
    // A connection may be dead without any sign of it. This leaves time for another try on a new one.
    let patience = Duration.seconds(10) + .microseconds(unsigned.body.count * 4)
    let time = min(patience, ContinuousClock.now.duration(to: end))
    guard time > .zero else { throw .late }
    var request = HTTPRequest(
      method: unsigned.method, url: location.url(forKey: location.key(of: unsigned.name)),
      headers: unsigned.headers, body: unsigned.body)
    let answer: HTTPAnswer
    do throws(HTTPFailure) {
      try signer.sign(
        &request, payloadSHA256: unsigned.payloadSHA256, with: credentials,
        region: location.region, at: WallClock.milliseconds / 1_000 + clockOffset)
      answer = try await client.send(request, within: time)
    } catch {
      throw .unanswered(error)
    }
    // Every object store gives an object that it has taken an ETag. A portal or a web server may answer 200, too.
    guard answer.isSuccess, !unsigned.hasFile || answer["ETag"] != nil else {
      throw .refused(S3Error(answer, keyFrom: self.credentials.place))
    }
    return answer
  }

  /// Applies a remedy to the next try.
  /// - Returns: false if the answer does not say how.
  private func apply(
    _ remedy: S3Error.Remedy, after failure: S3Failure, _ signedWith: Credentials, _ signedRegion: String
  ) async throws(S3Failure) -> Bool {
    guard case .refused(let refusal) = failure else { return false }
    switch remedy {
    case .clock:
      guard let date = refusal.date else { return false }
      state.withLock { $0.clockOffset = date - WallClock.milliseconds / 1_000 }
      return true
    case .region:
      guard let region = refusal.region, region != signedRegion else { return false }
      let (isNew, bucket) = state.withLock { state in
        // Another request may have learned the region meanwhile.
        let isNew = state.location.region != region
        if isNew { state.location = state.location.inRegion(region) }
        return (isNew, state.location.bucket)
      }
      if isNew {
        warn(
          "the bucket \(bucket) is in \(region), not in \(signedRegion): write region=\(region) in --store")
      }
      return true
    case .credentials:
      do throws(CredentialError) {
        return try await credentials.renew(after: signedWith) != signedWith
      } catch {
        throw .unsigned(error)
      }
    }
  }

  /// Waits for a random time, so that clients that failed together do not come back together.
  private func pause(
    before number: Int, until end: ContinuousClock.Instant, after failure: S3Failure
  ) async throws(S3Failure) {
    let longest = Duration.milliseconds(100 << number)
    let time = longest * Double.random(in: 0..<1)
    guard .now + time < end, (try? await Task.sleep(for: time)) != nil else { throw failure }
  }
}

extension S3Failure {
  var treatment: S3Error.Treatment {
    switch self {
    case .refused(let refusal): refusal.treatment
    case .unanswered(let failure): failure.mayTryAgain ? .again : .never
    case .unsigned, .late: .never
    }
  }
}
