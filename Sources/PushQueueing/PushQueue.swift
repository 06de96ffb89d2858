package import Queueing

/// Numbers the pushes of each device, and keeps them until nobody can ask for them any more. Every implementation
/// passes the same conformance suite. All processes that send to the same devices share one.
///
/// Positions begin with 1 and have no gaps. They are never given back. All times are milliseconds since 1970.
package protocol PushQueue: Sendable {
  /// Gives each push the next position of its device, in this order. A message that already has a position
  /// keeps it. Durable on return. If the token of a device has changed, a new epoch begins.
  func assign(_ pushes: [OfferedPush], at now: Int64) async throws(QueueError) -> [QueuePosition]

  /// Notes APNs' answers. Only the first final answer to a position counts; answers to positions that are no
  /// longer kept are ignored. After `.dead`, the kept pushes of the device are dropped, and its next push
  /// begins a new epoch.
  func note(_ answers: [NotedAnswer], at now: Int64) async throws(QueueError)

  /// Decides what to send again. Durable on return: any process may send it, even after this one has ended.
  /// The same question gets the same answer.
  func ask(_ question: MissedQuestion, at now: Int64) async throws(QueueError) -> MissedAnswer

  /// Notes what a device has seen. Pushes that it asked for and still lacks may be sent again.
  func note(_ receipt: PushReceipt, at now: Int64) async throws(QueueError) -> ReceiptAnswer

  /// Takes pushes to send again, up to about `limit`: all of one device, oldest first, then those of the
  /// next. Each counts as sent again from now on. If `note` is not called for them within
  /// `PushQueueLimits.resendLease`, other callers get them.
  func takeAsked(_ limit: Int, at now: Int64) async throws(QueueError) -> [KeptPush]

  /// Forgets whatever has expired or exceeds the limits, in steps of bounded time.
  /// - Returns: whether there is more to forget.
  func tidy(at now: Int64) async throws(QueueError) -> Bool

  /// The counts of the days `days` (since 1970, UTC), of all apps or of one. Days without counts are left
  /// out.
  func statistics(of app: String?, days: ClosedRange<Int>) async throws(QueueError) -> [DayStatistics]
}

/// An installation of an app.
package struct AppDevice: Hashable, Sendable {
  /// The topic of its pushes.
  package let app: String
  /// The app's own name for this device, such as a UUID. Not the device token, which changes.
  package let device: String

  package init(app: String, device: String) { (self.app, self.device) = (app, device) }

  /// Compares bytes. `String` treats different spellings of an accented letter as equal.
  package static func == (one: AppDevice, other: AppDevice) -> Bool {
    one.device == other.device && one.app == other.app
      && one.device.utf8.elementsEqual(other.device.utf8) && one.app.utf8.elementsEqual(other.app.utf8)
  }
}

/// A push that needs a position.
package struct OfferedPush: Sendable {
  package let device: AppDevice
  /// The device token, in lower-case hexadecimal.
  package let token: String
  /// `Message.id`.
  package let message: String
  /// When nobody can ask for it any more.
  package let expires: Int64
  /// The sender's own `apns-collapse-id`. Of several pushes with the same id, only the newest is sent again.
  package let collapseID: String?
  /// The parts that are sent again: the payload without its mark, and the request headers without `apns-id` and
  /// `apns-collapse-id`.
  package let body: [UInt8]
  package let headers: [Header]

  package init(
    device: AppDevice, token: String, message: String, expires: Int64, collapseID: String?, body: [UInt8],
    headers: [Header]
  ) {
    (self.device, self.token, self.message, self.expires) = (device, token, message, expires)
    (self.collapseID, self.body, self.headers) = (collapseID, body, headers)
  }
}

/// The place of a push among those of its device.
package struct QueuePosition: Hashable, Sendable {
  package let device: AppDevice
  /// When this numbering began, in seconds since 1970. Grows with each new numbering of the device.
  package let epoch: Int64
  package let position: Int64

  package init(device: AppDevice, epoch: Int64, position: Int64) {
    (self.device, self.epoch, self.position) = (device, epoch, position)
  }
}

/// The outcome of a position.
package struct NotedAnswer: Sendable, Equatable {
  package enum Answer: Sendable, Equatable {
    case accepted, rejected, dead
    /// It was not sent, because it had expired.
    case expired
    /// Only for a push that is sent again: it was not sent. It is tried again later.
    case later
    /// Only for a push that is sent again: APNs may have taken it, but its answer got lost. It counts as sent,
    /// and is tried again later.
    case uncertain
  }

  package let position: QueuePosition
  package let answer: Answer

  package init(_ position: QueuePosition, _ answer: Answer) {
    (self.position, self.answer) = (position, answer)
  }
}

/// A device asks for the pushes that it missed among the `count` positions before `last`.
package struct MissedQuestion: Sendable, Equatable {
  package let device: AppDevice
  package let epoch: Int64
  package let last: Int64
  package let count: Int64
  /// What the device has seen: bit 0 is `last`, bit 1 the one before it.
  package let seen: UInt64

  package init(device: AppDevice, epoch: Int64, last: Int64, count: Int64, seen: UInt64) {
    (self.device, self.epoch, self.last, self.count, self.seen) = (device, epoch, last, count, seen)
  }
}

package enum MissedAnswer: Sendable, Equatable {
  /// How many of the missed pushes are or were sent again, and how many never will be, by reason.
  case resending(Int, rejected: Int, expired: Int, superseded: Int, holes: Holes = Holes())
  /// All of them have been seen, or are under way for the first time.
  case nothing
  case unknownDevice, otherEpoch
  /// The device asks for more than `PushQueueLimits.missed`.
  case tooMany
  /// The device has asked too often. The value is the wait in milliseconds until it may ask again.
  case tooSoon(Int64)
}

/// A device reports what it has seen.
package struct PushReceipt: Sendable, Equatable {
  package let device: AppDevice
  package let epoch: Int64
  package let last: Int64
  /// As in `MissedQuestion`.
  package let seen: UInt64
  /// How many pushes the device has shown in summaries only, in this epoch. It only grows.
  package let summarized: Int64

  package init(device: AppDevice, epoch: Int64, last: Int64, seen: UInt64, summarized: Int64) {
    (self.device, self.epoch, self.last, self.seen, self.summarized) = (device, epoch, last, seen, summarized)
  }
}

package enum ReceiptAnswer: Sendable, Equatable {
  case noted(Holes)
  case unknownDevice, otherEpoch
  case tooSoon(Int64)
}

/// The positions among a device's last 53 that it has not seen and need not wait for. Every JSON parser keeps
/// 53 bits exactly. Bit 0 is the last position, bit 1 the one before it.
package struct Holes: Sendable, Equatable {
  package static let count = 53
  /// They will never come: rejected, expired, dropped, or sent again as often as they may be.
  package internal(set) var gone: UInt64 = 0
  /// A newer push with the same collapse id takes their place.
  package internal(set) var superseded: UInt64 = 0

  package init(gone: UInt64 = 0, superseded: UInt64 = 0) { (self.gone, self.superseded) = (gone, superseded) }

  package var isEmpty: Bool { gone == 0 && superseded == 0 }
}

/// A push as it was offered, to be sent again.
package struct KeptPush: Sendable {
  package let position: QueuePosition
  package let push: OfferedPush
  /// How often it has been sent again, including this time.
  package let resent: Int

  package init(_ position: QueuePosition, _ push: OfferedPush, resent: Int) {
    (self.position, self.push, self.resent) = (position, push, resent)
  }
}
