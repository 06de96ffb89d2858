import BuiltInQueueing
import PushQueueing
import Queueing
import TestSupport
import Testing

/// The kinds of push queues that this build knows. The conformance suite runs each of its tests with each
/// kind.
enum StoreKind: String, CaseIterable, Sendable, CustomStringConvertible {
  case sqlite = "SQLite"
  #if Redis
    case redis = "Redis"
  #endif

  var description: String { rawValue }

  /// Runs `body` with a place for a push queue that is empty at first.
  func withPlace(_ body: (Place) async throws -> Void) async throws {
    switch self {
    case .sqlite:
      try await withTemporaryDirectory {
        try await body(Place(url: "sqlite:\($0.path(of: "push-queue.db"))"))
      }
    #if Redis
      case .redis:
        try await BrokerKind.redis.withBroker { broker in
          try await body(Place(url: String(broker.url("pushes").prefix { $0 != "?" })))
        }
    #endif
    }
  }
}

/// The place of a push queue.
struct Place: Sendable {
  let url: String

  /// The push queue as another process sees it.
  func open(keep: Int = 100, bytes: Int64 = 1 << 30) throws(QueueError) -> any PushQueue {
    var limits = PushQueueLimits()
    (limits.keep, limits.bytes) = (keep, bytes)
    return try [PushQueueKind].builtIn(url).open(limits, certificateFile: nil) { _ in }
  }
}

extension [PushQueueKind] {
  static func builtIn(_ text: String) throws(QueueError) -> any PushQueueURL {
    try PushQueueKind.builtIn.url(text)
  }
}

/// 2026-11-24 at 16:00 UTC.
let start: Int64 = 1_795_536_000_000
let second: Int64 = 1_000
let minute: Int64 = 60_000
let hour: Int64 = 3_600_000
let day: Int64 = 86_400_000
let today = Int(start / day)

let phone = AppDevice(app: "com.example.app", device: "6F1C7B0E-0000-4000-8000-000000000001")
let tablet = AppDevice(app: "com.example.app", device: "6F1C7B0E-0000-4000-8000-000000000002")

func offer(
  _ message: String, to device: AppDevice = phone, token: String = "0a0b", expires: Int64 = start + day,
  collapse: String? = nil, body: [UInt8] = Array(#"{"aps":{}}"#.utf8)
) -> OfferedPush {
  OfferedPush(
    device: device, token: token, message: message, expires: expires, collapseID: collapse, body: body,
    headers: [Header("apns-topic", device.app), Header("apns-priority", "10")])
}

extension PushQueue {
  /// Offers one push after the other to a device, and notes that APNs took each.
  @discardableResult
  func accept(
    _ messages: [String], to device: AppDevice = phone, expires: Int64 = start + day, collapse: String? = nil,
    at now: Int64 = start
  ) async throws(QueueError) -> [QueuePosition] {
    let pushes = messages.map { offer($0, to: device, expires: expires, collapse: collapse) }
    let positions = try await assign(pushes, at: now)
    try await note(positions.map { NotedAnswer($0, .accepted) }, at: now)
    return positions
  }

  /// Asks for the `count` pushes before `last`.
  func ask(
    _ last: Int64, _ count: Int64, seen: UInt64 = 1, of device: AppDevice = phone,
    epoch: Int64 = start / 1_000,
    at now: Int64
  ) async throws(QueueError) -> MissedAnswer {
    let answer = try await ask(
      MissedQuestion(device: device, epoch: epoch, last: last, count: count, seen: seen), at: now)
    // Leaves out the holes, which `HolesTests` tests.
    if case .resending(let resending, let rejected, let expired, let superseded, _) = answer {
      return .resending(resending, rejected: rejected, expired: expired, superseded: superseded)
    }
    return answer
  }

  func receipt(
    _ last: Int64, seen: UInt64, summarized: Int64 = 0, of device: AppDevice = phone,
    epoch: Int64 = start / 1_000, at now: Int64
  ) async throws(QueueError) -> ReceiptAnswer {
    try await note(
      PushReceipt(device: device, epoch: epoch, last: last, seen: seen, summarized: summarized), at: now)
  }

  /// The positions that are to be sent again now.
  func taken(_ limit: Int = 100, at now: Int64) async throws(QueueError) -> [Int64] {
    try await takeAsked(limit, at: now).map(\.position.position)
  }

  /// The counts of all days together, without delays and hours.
  func counts(of app: String? = nil) async throws(QueueError) -> [String: Int64] {
    var sums: [String: Int64] = [:]
    for statistics in try await statistics(of: app, days: 0...1_000_000) {
      for (name, statistic) in Statistic.named where statistics[statistic] != 0 {
        sums[name, default: 0] += statistics[statistic]
      }
    }
    return sums
  }
}

func position(_ position: Int64, of device: AppDevice = phone, epoch: Int64 = start / 1_000) -> QueuePosition
{
  QueuePosition(device: device, epoch: epoch, position: position)
}
