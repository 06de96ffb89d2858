package import PushQueueing
package import Queueing
internal import Synchronization

package typealias RedisPushQueue = StoredPushQueue<RedisDeviceStore>

/// Keeps devices in hashes, and their times in sorted sets. A device is loaded, changed here, and saved by a
/// script, but only if nobody else has changed it meanwhile. Otherwise all of this is repeated.
package struct RedisDeviceStore: DeviceStore {
  /// The memory that an entry of a hash takes in addition to its content, in bytes.
  static let overhead = 64
  private static let layout: Int64 = 1
  /// How many times to try if others keep changing a device.
  private static let tries = 1_000

  private let store: RedisStore
  /// The part of its keys before the first colon.
  private let name: String

  /// Connects. Checks the rights of the user, and whether the keys are a push queue's. Blocks.
  init(_ store: RedisStore, name: String) throws(QueueError) {
    (self.store, self.name) = (store, name)
    let replies = try store.askBlocking { [RedisCommand(.openPushes, keys: [key("logs")])] }
    try check(replies)
    guard let layout = replies.first?.integer, layout <= Self.layout else {
      throw store.server.refused(
        "has a push queue \(name) that was created by a later version of push-enricher, which is needed to use it"
      )
    }
  }

  package func update<Result: Sendable>(
    _ devices: [AppDevice], adding count: Int, _ body: @escaping @Sendable (Int, inout DeviceChange) -> Result
  ) async throws(QueueError) -> [Result] {
    var results: [Result?] = Array(repeating: nil, count: devices.count)
    var waiting = Array(devices.indices)
    for turn in 0..<Self.tries where !waiting.isEmpty {
      // At random: if all tried again at the same time, they would get in each other's way again.
      if turn > 0 { try? await Task.sleep(for: .microseconds(Int.random(in: 0...200 * min(turn, 50)))) }
      let loaded = try await load(waiting.map { devices[$0] }, adding: count)
      var (save, saved) = (RedisCommand(.savePushes, keys: [key("logs")], size: 65_536), [Int]())
      var next = loaded.next
      for (index, entry) in zip(waiting, loaded.entries) {
        var change = DeviceChange(
          devices[index], log: entry.log, ends: entry.times.ends, due: entry.times.due, next: next)
        results[index] = body(index, &change)
        next = change.next
        guard change.isChanged || !change.counts.isEmpty else { continue }
        save.append(change, over: entry)
        saved.append(index)
      }
      waiting = []
      guard !saved.isEmpty else { break }
      waiting = try await ask([save])[0].elements.compactMap { $0.integer.map { saved[Int($0)] } }
    }
    let all = results.compactMap(\.self)
    guard waiting.isEmpty, all.count == devices.count else {
      throw store.server.unavailable("has been changing the same devices all the time: try again")
    }
    return all
  }

  private func load(
    _ devices: [AppDevice], adding count: Int
  ) async throws(QueueError) -> (entries: [DeviceEntry], next: Int64) {
    guard !devices.isEmpty else { return ([], 0) }
    var get = RedisCommand("HMGET", key("logs"))
    for device in devices { get.append(device.field) }
    let replies = try await ask(
      [get] + (count > 0 ? [RedisCommand("INCRBY", key("next"), "\(count)")] : []))
    let entries = try replies[0].elements.map { (reply) throws(QueueError) in
      guard let bytes = reply.bytes else { return DeviceEntry() }
      guard let entry = DeviceEntry(bytes) else { throw damaged }
      return entry
    }
    guard entries.count == devices.count else { throw damaged }
    return (entries, max(0, replies.last?.integer ?? 0) - Int64(count) + 1)
  }

  package func contents(of pushes: [PushState]) async throws(QueueError) -> [PushContent?] {
    let get = RedisCommand(words: ["HMGET", key("contents")] + pushes.map { "\($0.number)" })
    return try await ask([get])[0].elements.map { (reply) throws(QueueError) in
      guard let bytes = reply.bytes else { return nil }
      guard let content = PushContent(bytes) else { throw damaged }
      return content
    }
  }

  package func due(at now: Int64, limit: Int) async throws(QueueError) -> [AppDevice] {
    // A time far in the future comes from a clock that was later set back.
    let far = "(\(now + 2 * PushQueueLimits.resendLease)"
    let devices = try await ask([range("due", "-inf", "\(now)", limit), range("due", far, "+inf", limit)])
    return Array(devices.flatMap(\.devices).prefix(limit))
  }

  package func ended(at now: Int64, limit: Int) async throws(QueueError) -> [AppDevice] {
    try await ask([range("ends", "-inf", "\(now)", limit)])[0].devices
  }

  package func unseen(since time: Int64, limit: Int) async throws(QueueError) -> [AppDevice] {
    try await ask([range("active", "-inf", "(\(DeviceTimes.day(of: time))", limit)])[0].devices
  }

  package func surplus(over bytes: Int64, limit: Int) async throws(QueueError) -> [AppDevice: Set<Int64>] {
    let size = try await ask([RedisCommand("GET", key("bytes"))])[0].text.flatMap { Int64($0) } ?? 0
    guard size > bytes else { return [:] }
    let devices = try await ask([RedisCommand("ZRANGE", key("oldest"), "0", "\(limit - 1)")])[0].devices
    let entries = try await load(devices, adding: 0).entries
    // No other device has a push that is older than the last one here.
    let end = devices.count < limit ? Int64.max : entries.compactMap { $0.log?.oldestDroppable }.max() ?? 0
    let pushes = zip(devices, entries).flatMap { device, entry in
      (entry.log?.droppableNumbers ?? []).filter { $0 <= end }.map { (number: $0, device: device) }
    }.sorted { $0.number < $1.number }.prefix(limit)
    guard !pushes.isEmpty else { return [:] }
    let sizes = try await ask(pushes.map { RedisCommand("HSTRLEN", key("contents"), "\($0.number)") })
    var (surplus, excess) = ([AppDevice: Set<Int64>](), size - bytes)
    for (push, size) in zip(pushes, sizes) where excess > 0 {
      excess -= (size.integer ?? 0) + Int64(Self.overhead)
      surplus[push.device, default: []].insert(push.number)
    }
    return surplus
  }

  package func statistics(of app: String?, days: ClosedRange<Int>) async throws(QueueError) -> [DayStatistics]
  {
    let known = try await ask([
      RedisCommand("ZRANGEBYSCORE", key("days"), "\(days.lowerBound)", "\(days.upperBound)")
    ])[0].elements.compactMap { $0.text.flatMap { Int($0) } }
    guard !known.isEmpty else { return [] }
    let replies = try await ask(known.map { RedisCommand("HGETALL", key("counts:\($0)")) })
    return zip(known, replies).flatMap { day, reply in
      var apps: [String: DayStatistics] = [:]
      let words = reply.elements.compactMap(\.text)
      for index in stride(from: 0, to: words.count - 1, by: 2) {
        let parts = words[index].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let what = Int(parts[0]), let count = Int64(words[index + 1]) else {
          continue
        }
        let name = String(parts[1])
        if let app, app != name { continue }
        apps[name, default: DayStatistics(app: name, day: day)][Statistic(rawValue: what)] = count
      }
      return apps.values.sorted { $0.app < $1.app }
    }
  }

  package func forgetStatistics(before day: Int, limit: Int) async throws(QueueError) -> Bool {
    let days = try await ask([range("days", "-inf", "(\(day)", limit)])[0].elements.compactMap(\.text)
    guard !days.isEmpty else { return false }
    // The days are removed last, so that nothing is left behind if the connection breaks in between.
    _ = try await ask([
      RedisCommand(words: ["DEL"] + days.map { key("counts:\($0)") }),
      RedisCommand(words: ["ZREM", key("days")] + days),
    ])
    return days.count == limit
  }

  private func range(_ name: String, _ start: String, _ end: String, _ limit: Int) -> RedisCommand {
    RedisCommand("ZRANGEBYSCORE", key(name), start, end, "LIMIT", "0", "\(limit)")
  }

  private func key(_ part: String) -> String { "\(name):\(part)" }

  private var damaged: QueueError {
    store.server.refused(
      "has a push queue \(name) that is damaged: see who else writes to the keys \(name):*")
  }

  /// - Returns: a reply to each command.
  private func ask(_ commands: [RedisCommand]) async throws(QueueError) -> [RedisReply] {
    let replies = try await store.ask { RedisStore.Request(commands: commands) }
    try check(replies)
    return replies
  }

  private func check(_ replies: [RedisReply]) throws(QueueError) {
    guard let error = replies.firstError else { return }
    if error.hasPrefix("WRONGTYPE") {
      throw store.server.refused("has keys \(name):* that do not belong to a push queue: name another")
    }
    if QueueError.isAboutRights(redis: error) {
      let rules = ["+@hash", "+@sortedset", "+@string", "+@scripting", "+del", "~\(name):*"]
      throw store.server.refused("does not let this user keep a push queue: \(store.server.grant(rules))")
    }
    throw QueueError(redis: error, store.server)
  }
}

/// The scores of a device in the sorted sets.
private struct DeviceTimes {
  var ends: Int64 = 0
  var due: Int64 = 0
  /// The day of its last activity, because that rarely changes.
  var active: Int64 = 0
  /// The number of the oldest push that may be dropped.
  var oldest: Int64 = 0

  init() {}

  init(_ log: DeviceLog?, ends: Int64, due: Int64) {
    (self.ends, self.due) = (ends, due)
    guard let log else { return }
    (active, oldest) = (Self.day(of: log.active), log.oldestDroppable ?? 0)
  }

  /// The beginning of the day of `time`, both in milliseconds since 1970.
  static func day(of time: Int64) -> Int64 { time - time % DeviceChange.day }

  var all: [Int64] { [ends, due, active, oldest] }
}

/// The value of a device in the hash `logs`.
private struct DeviceEntry {
  /// 8 random bytes, new each time the device is saved. Empty if the device is unknown.
  var revision: [UInt8] = []
  var times = DeviceTimes()
  var log: DeviceLog?

  init() {}

  /// Returns nil if the bytes are damaged.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 20, let log = DeviceLog(Array(bytes[20...])) else { return nil }
    func number(_ range: Range<Int>) -> Int64 { bytes[range].reduce(0) { $0 << 8 | Int64($1) } }
    revision = Array(bytes[..<8])
    (times, self.log) = (DeviceTimes(log, ends: number(8..<14), due: number(14..<20)), log)
  }
}

extension RedisCommand {
  /// Appends the arguments of `savePushes` for one device.
  fileprivate mutating func append(_ change: DeviceChange, over entry: DeviceEntry) {
    append(change.device.field)
    append(entry.revision)
    var value: [UInt8] = []
    if let log = change.log {
      let revision = UInt64.random(in: 0...UInt64.max)
      value += (0..<8).map { UInt8(truncatingIfNeeded: revision >> (8 * $0)) }
      for time in [change.ends, change.due] {
        value += (0..<6).map { UInt8(truncatingIfNeeded: time >> Int64(40 - 8 * $0)) }
      }
      value += log.bytes
    }
    append(value)
    let times = DeviceTimes(change.log, ends: change.ends, due: change.due)
    for (time, before) in zip(times.all, entry.times.all) {
      // 0 removes a score, even one that is there by mistake: the device would be found again and again.
      append(time == before && time > 0 && change.log != nil ? "" : "\(time)")
    }
    append("\(change.added.count)")
    for (state, push) in change.added {
      append("\(state.number)")
      append(PushContent(push).bytes)
    }
    append("\(change.dropped.count)")
    for state in change.dropped { append("\(state.number)") }
    append("\(change.counts.count)")
    for (day, statistic, count) in change.counts {
      append("\(day)")
      append("\(statistic.rawValue):\(change.device.app)")
      append("\(count)")
    }
  }
}

extension AppDevice {
  /// Its field in hashes: the length of the app's name, and both names.
  fileprivate var field: String { "\(app.utf8.count):\(app)\(device)" }

  fileprivate init?(field: [UInt8]) {
    guard let colon = field.firstIndex(of: UInt8(ascii: ":")),
      let length = Int(String(decoding: field[..<colon], as: UTF8.self)), length >= 0,
      case let names = field[(colon + 1)...], length <= names.count
    else { return nil }
    self.init(
      app: String(decoding: names.prefix(length), as: UTF8.self),
      device: String(decoding: names.dropFirst(length), as: UTF8.self))
  }
}

extension RedisReply {
  fileprivate var devices: [AppDevice] { elements.compactMap { $0.bytes.flatMap { AppDevice(field: $0) } } }
}
