package import Queueing

/// Keeps a `DeviceLog` for each device, the content of the pushes, and the counts.
package protocol DeviceStore: Sendable {
  /// Loads each device, lets `body` change it, and saves it with everything that was added, dropped and
  /// counted. Saves at least each device in one step. Durable on return.
  /// - Parameters:
  ///   - devices: contains each device once.
  ///   - adding: how many pushes `body` adds at most, to all devices together.
  ///   - body: gets the index of the device. Called again if another process has changed the device meanwhile.
  func update<Result: Sendable>(
    _ devices: [AppDevice], adding count: Int, _ body: @escaping @Sendable (Int, inout DeviceChange) -> Result
  ) async throws(QueueError) -> [Result]

  /// The contents of kept pushes. Nil for each push that is gone.
  func contents(of pushes: [PushState]) async throws(QueueError) -> [PushContent?]

  /// Up to `limit` devices whose `DeviceChange.due` or `ends` has passed, the earliest first. Some of them
  /// may have nothing to do.
  func due(at now: Int64, limit: Int) async throws(QueueError) -> [AppDevice]
  func ended(at now: Int64, limit: Int) async throws(QueueError) -> [AppDevice]

  /// Up to `limit` devices that were not active after `time`. Those of the last day before it may be missing.
  func unseen(since time: Int64, limit: Int) async throws(QueueError) -> [AppDevice]

  /// The numbers of up to `limit` pushes that must be dropped to keep no more than `bytes`. The oldest go
  /// first. Some of them may have no answer. They stay, and the next calls go on after them. The call
  /// after the last push returns nothing.
  func surplus(over bytes: Int64, limit: Int) async throws(QueueError) -> [AppDevice: Set<Int64>]

  func statistics(of app: String?, days: ClosedRange<Int>) async throws(QueueError) -> [DayStatistics]

  /// Forgets counts of days before `day`.
  /// - Returns: whether there are more.
  func forgetStatistics(before day: Int, limit: Int) async throws(QueueError) -> Bool
}

/// The content that is kept of a push to send it again.
package struct PushContent: Sendable, Equatable {
  let message: String
  let collapseID: String?
  let headers: [Header]
  let body: [UInt8]

  package init(_ push: OfferedPush) {
    (message, collapseID, headers, body) = (push.message, push.collapseID, push.headers, push.body)
  }

  /// Returns nil if the bytes are damaged.
  package init?(_ bytes: [UInt8]) {
    var rest = bytes[...]
    guard let message = rest.takeText(), let hasCollapseID = rest.popFirst(),
      let collapseID = hasCollapseID == 0 ? "" : rest.takeText(), let count = rest.takeCount()
    else { return nil }
    var headers: [Header] = []
    for _ in 0..<count {
      guard let name = rest.takeText(), let value = rest.takeText() else { return nil }
      headers.append(Header(name, value))
    }
    (self.message, self.headers, body) = (message, headers, Array(rest))
    self.collapseID = hasCollapseID == 0 ? nil : collapseID
  }

  /// Each text after its length, and the body last.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(
      body.count + headers.reduce(128) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 })
    bytes.append(text: message)
    bytes.append(collapseID == nil ? 0 : 1)
    if let collapseID { bytes.append(text: collapseID) }
    bytes.append(count: headers.count)
    for header in headers {
      bytes.append(text: header.name)
      bytes.append(text: header.value)
    }
    return bytes + body
  }
}

extension [UInt8] {
  /// Appends a number in groups of 7 bits, the lowest first. All but the last have the high bit set.
  fileprivate mutating func append(count: Int) {
    var rest = UInt(count)
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  fileprivate mutating func append(text: String) {
    append(count: text.utf8.count)
    append(contentsOf: text.utf8)
  }
}

extension ArraySlice<UInt8> {
  /// Nil if it is not a number, or is greater than the number of bytes left.
  fileprivate mutating func takeCount() -> Int? {
    var value = 0
    for shift in stride(from: 0, to: 35, by: 7) {
      guard let byte = popFirst() else { return nil }
      value |= Int(byte & 0x7F) << shift
      if byte < 0x80 { return value <= count ? value : nil }
    }
    return nil
  }

  fileprivate mutating func takeText() -> String? {
    guard let length = takeCount() else { return nil }
    defer { removeFirst(length) }
    return String(decoding: prefix(length), as: UTF8.self)
  }
}
