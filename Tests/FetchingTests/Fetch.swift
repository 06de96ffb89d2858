import Fetching
import Misbehaving
import Synchronization
import TestSupport

/// The result of fetching one URL.
struct Fetch: Sendable {
  let result: Result<ResponseHead, FetchError>
  /// The bytes that a consumer has at the end if it starts again with each try.
  let body: [UInt8]
  /// How often a body started.
  let begun: Int
  /// The size of the largest piece in bytes.
  let largestPiece: Int
  let journal: FetchJournal.State

  /// The status of the final response; nil after a failure.
  var status: Int? { try? result.get().status }

  /// The failure, without the details of libcurl and c-ares; nil after a success.
  var failure: FetchError? {
    if case .failure(let error) = result { error.unworded } else { nil }
  }

  /// The detail of the failure; empty after a success.
  var detail: String {
    if case .failure(let error) = result { error.detail ?? "" } else { "" }
  }

  /// The hops, without the parts that differ from run to run.
  var steps: [Step] {
    journal.hops.map { Step($0.status, attempt: $0.attempt, error: $0.error?.unworded) }
  }
}

/// The parts of a hop that a test can predict.
struct Step: Equatable {
  let status: Int?
  let attempt: Int
  let error: FetchError?

  init(_ status: Int?, attempt: Int = 1, error: FetchError? = nil) {
    self.status = status
    self.attempt = attempt
    self.error = error
  }
}

extension Fetcher {
  /// Fetches `url`, and gives up after `limit`. A busy machine may need much of it.
  func get(_ url: String, within limit: Duration = .seconds(120), into sink: Sink = Sink()) async -> Fetch {
    await get(url, until: .now + limit, into: sink)
  }

  func get(
    _ url: String, until end: ContinuousClock.Instant, under conditions: [String] = [],
    into sink: Sink = Sink()
  ) async -> Fetch {
    let result: Result<ResponseHead, FetchError>
    do throws(FetchError) {
      let fetched = try await fetch(
        RemoteURL(url), until: end, under: { _ in conditions }, into: sink, journal: sink.journal)
      result = .success(fetched.head)
    } catch {
      result = .failure(error)
    }
    return Fetch(
      result: result, body: sink.body, begun: sink.begun, largestPiece: sink.largestPiece,
      journal: sink.journal.snapshot)
  }
}

extension FetchSettings {
  /// Allows http over these ports, and the first loopback address of each family only.
  static func loopback(ports: [Int]) throws -> FetchSettings {
    var settings = FetchSettings()
    settings.allowsHTTP = true
    settings.allowedPorts = Set(ports)
    settings.addresses = AddressPolicy(allowing: [try AddressRange("127.0.0.1"), try AddressRange("::1")])
    return settings
  }
}

extension HostileServer {
  /// A fetcher that may connect to this server.
  func fetcher(_ change: (inout FetchSettings) -> Void = { _ in }) throws -> Fetcher {
    var settings = try FetchSettings.loopback(ports: [port])
    change(&settings)
    return try Fetcher(settings: settings)
  }

  /// Fetches from this server with a new fetcher.
  func fetch(
    _ url: String, within limit: Duration = .seconds(120), into sink: Sink = Sink()
  ) async throws -> Fetch {
    await (try fetcher()).get(url, within: limit, into: sink)
  }
}

extension FetchError {
  /// The detail of the error; nil if it has none.
  var detail: String? {
    switch self {
    case .urlInvalid(let detail), .dnsFailed(_, let detail, _), .connectFailed(let detail, _),
      .tlsFailed(let detail), .responseInvalid(let detail), .resourcesExhausted(let detail):
      detail
    default: nil
    }
  }

  /// The error without its detail, so that it can be compared whole. libcurl's details contain
  /// times and change with its versions.
  var unworded: FetchError {
    switch self {
    case .urlInvalid: .urlInvalid(detail: "")
    case .dnsFailed(let host, _, let isTransient):
      .dnsFailed(host: host, detail: "", isTransient: isTransient)
    case .connectFailed(_, let isTransient): .connectFailed(detail: "", isTransient: isTransient)
    case .tlsFailed: .tlsFailed(detail: "")
    case .responseInvalid: .responseInvalid(detail: "")
    case .resourcesExhausted: .resourcesExhausted(detail: "")
    default: self
    }
  }

  /// The connection ended before there was an answer.
  static let brokenOff = FetchError.connectFailed(detail: "", isTransient: true)
  static let responseInvalid = FetchError.responseInvalid(detail: "")
}
