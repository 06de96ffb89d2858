internal import Dispatch
internal import Supporting
internal import Synchronization

/// The credentials that requests are signed with, renewed before they expire.
final class CredentialChain: Sendable {
  /// Sends a request; the answer comes within the duration, or it fails.
  typealias Transport = @Sendable (HTTPRequest, Duration) async throws(HTTPFailure) -> HTTPAnswer

  /// The first source that is configured counts, even if it fails, because later ones may have other rights.
  /// This is the order of AWS's own programs
  /// (https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html).
  private static let sources: [any CredentialSource.Type] = [
    EnvironmentCredentials.self, WebIdentityCredentials.self, SharedFileCredentials.self,
    ContainerCredentials.self, InstanceCredentials.self,
  ]

  private let environment: [String: String]
  private let region: String
  private let send: Transport
  private let warn: @Sendable (String) -> Void
  private let state = Mutex(CredentialState())
  private let lastPlace = Mutex<CredentialPlace?>(nil)
  /// Not the queue of the spools, because a disk that hangs here must not hold them up.
  private let disk = DispatchQueue(label: "push-enricher.credentials")

  /// - Parameters:
  ///   - environment: that of the process.
  ///   - region: the region of the bucket.
  ///   - warn: called with a sentence if credentials that are about to expire cannot be renewed.
  init(
    environment: [String: String], region: String, warn: @escaping @Sendable (String) -> Void = { _ in },
    send: @escaping Transport
  ) {
    // An empty variable counts as not set.
    self.environment = environment.filter { !$0.value.isEmpty }
    (self.region, self.warn, self.send) = (region, warn, send)
  }

  convenience init(
    environment: [String: String], region: String, client: HTTPClient,
    warn: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.init(environment: environment, region: region, warn: warn) {
      (request, limit) throws(HTTPFailure) in try await client.send(request, within: limit)
    }
  }

  /// The files that must stay readable, so that the same source is found each time, and the server that must
  /// stay reachable. A file may be replaced.
  static func needs(
    environment: [String: String], region: String
  ) -> (files: [String], server: ServiceURL?) {
    let environment = environment.filter { !$0.value.isEmpty }
    var files: [String] = []
    for source in sources {
      files += source.files(environment)
      // If the credentials are wrong, the first request reports it.
      do throws(CredentialError) {
        if let found = try source.init(environment, region: region) { return (files, found.server) }
      } catch { break }
    }
    return (files, nil)
  }

  /// Returns valid credentials at once, and renews them in the background if they expire soon. Waits only if
  /// there are none.
  /// - Parameter now: in seconds since 1970.
  /// - Throws: `CredentialError.late` if the task is cancelled.
  func current(now: Int64) async throws(CredentialError) -> Credentials {
    let (valid, isToBeRenewed) = state.withLock { state in
      (state.valid(at: now), state.isToBeRenewed(at: now) && state.beginRenewal())
    }
    if isToBeRenewed { renewAside(now) }
    if let valid { return valid }
    return try await renew(after: nil, now: now)
  }

  /// Returns other credentials than `rejected`, or the same ones if their source has no others.
  /// - Parameter rejected: nil if there were no valid ones.
  /// - Throws: `CredentialError.late` if the task is cancelled.
  func renew(
    after rejected: Credentials?, now: Int64 = WallClock.milliseconds / 1_000
  ) async throws(CredentialError) -> Credentials {
    let waiter = CredentialState.Waiting()
    let id = ObjectIdentifier(waiter)
    let (known, begins) = state.withLock { state -> (Result<Credentials, CredentialError>?, Bool) in
      // A renewal may have ended since the caller looked. Many payloads may have been signed with the
      // rejected ones. They do not all ask the source.
      if let valid = state.valid(at: now), valid != rejected || state.isConfirmed(at: now) {
        return (.success(valid), false)
      }
      // A service that does not answer must not cost each payload its time.
      if let error = state.recentError(at: now) { return (.failure(error), false) }
      if rejected != nil { state.noteRejection(at: now) }
      state.waiting[id] = waiter
      return (nil, state.beginRenewal())
    }
    if let known { return try known.get() }
    if begins { renewAside(now) }
    return try await waiter.wait(cancelled: .failure(.late)) {
      self.state.withLock { $0.waiting.removeValue(forKey: id) }
    }.get()
  }

  /// The place that the last valid credentials came from.
  var place: CredentialPlace? { lastPlace.withLock { $0 } }

  /// Whether a renewal has begun and not ended.
  var isRenewing: Bool { state.withLock { $0.isRenewing } }

  /// Many wait for one renewal, so the cancellation of one of them does not end it.
  private func renewAside(_ now: Int64) {
    Task {
      let result = await fetch(now)
      let (waiting, warning) = state.withLock { state in
        (state.endRenewal(), state.note(result, begun: now))
      }
      for waiter in waiting { waiter.resume(returning: result) }
      if let warning { warn(warning) }
    }
  }

  private func fetch(_ now: Int64) async -> Result<Credentials, CredentialError> {
    do throws(CredentialError) {
      let source = try await disk.run { [environment, region] () throws(CredentialError) in
        try Self.source(environment, region)
      }
      let credentials = try await source.fetch(CredentialMeans(send: send, disk: disk, now: now))
      guard credentials.isValid(at: now) else { throw .ended(type(of: source).place) }
      lastPlace.withLock { $0 = type(of: source).place }
      return .success(credentials)
    } catch {
      return .failure(error)
    }
  }

  /// The first source that is configured. Blocks on the disk.
  private static func source(
    _ environment: [String: String], _ region: String
  ) throws(CredentialError) -> any CredentialSource {
    for source in sources { if let found = try source.init(environment, region: region) { return found } }
    throw .nowhere
  }
}
