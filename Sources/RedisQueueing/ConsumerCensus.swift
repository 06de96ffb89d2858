internal import Queueing

/// Who of the consumers of a group has ended, as far as looks at the group from time to time tell.
struct ConsumerCensus {
  /// A consumer of which nothing but its idle time is known: a worker of version 0.1.0, or another program. It
  /// counts as ended after so long, by the clock of the server.
  private static let longestIdle = Duration.seconds(90)
  /// More are dealt with later.
  private static let maximum = 100

  /// A consumer that holds messages, and whose process has ended.
  struct Ended: Equatable {
    let consumer: String
    let process: String
    /// All marks that it was seen with, one after the other: if they differ by now, it is alive.
    let marks: String
  }

  /// Whose messages may be taken.
  private(set) var ended: [Ended] = []
  /// Former names of this process under which there are messages. Those that have not arrived here are free.
  private var unexplained: [String] = []
  /// Former names of this process under which there is nothing, and marks that it does not know of: a server
  /// that was restored from a copy has some that were removed.
  private(set) var unused: [String] = []
  /// By process: its marks, and how many looks have found the same.
  private var sightings: [String: (marks: String, repeats: Int)] = [:]

  /// - Parameters:
  ///   - process: this one.
  ///   - current: its name as a consumer.
  ///   - ownMarks: those of its marks that may be there.
  mutating func look(
    at consumers: [RedisConsumer], from process: String, as current: String, ownMarks: [String]
  ) {
    (ended, unexplained, unused) = ([], [], [])
    // All of them count: one that nobody removes must not hide those that change.
    var marks: [String: String] = [:]
    for consumer in consumers {
      guard let owner = Self.owner(ofMark: consumer.name) else { continue }
      marks[owner, default: ""] += consumer.name
      if owner == process, !ownMarks.contains(consumer.name) { unused.append(consumer.name) }
    }
    var seen: [String: (marks: String, repeats: Int)] = [:]
    for consumer in consumers where consumer.name != ConsumerState.free && consumer.name != current {
      guard let owner = Self.owner(of: consumer.name) else {
        if consumer.pending > 0, consumer.idle >= Self.longestIdle {
          ended.append(Ended(consumer: consumer.name, process: consumer.name, marks: ""))
        }
        continue
      }
      if owner == process {
        if consumer.pending > 0 { unexplained.append(consumer.name) } else { unused.append(consumer.name) }
        continue
      }
      // Whoever holds nothing need not give a sign of life, and what it takes next comes with a new one.
      guard consumer.pending > 0 else { continue }
      let marks = marks[owner] ?? ""
      let last = sightings[owner].flatMap { $0.marks == marks ? $0 : nil }
      let repeats = last.map { $0.repeats + 1 } ?? 0
      seen[owner] = (marks, repeats)
      if repeats >= QueueLease.missingSigns {
        ended.append(Ended(consumer: consumer.name, process: owner, marks: marks))
      }
    }
    sightings = seen
    (ended, unexplained, unused) = (
      Array(ended.prefix(Self.maximum)), Array(unexplained.prefix(Self.maximum)),
      Array(unused.prefix(Self.maximum))
    )
  }

  mutating func takeUnexplained() -> [String] {
    defer { unexplained = [] }
    return unexplained
  }

  private static func owner(of consumer: String) -> String? { part(of: consumer, before: ".") }

  private static func owner(ofMark name: String) -> String? { part(of: name, before: "=") }

  private static func part(of name: String, before separator: Character) -> String? {
    guard name.hasPrefix("push-enricher-"), let index = name.lastIndex(of: separator) else { return nil }
    return String(name[..<index])
  }
}

/// A consumer of a group, as `XINFO CONSUMERS` shows it.
struct RedisConsumer: Equatable {
  let name: String
  /// Messages that it holds.
  let pending: Int
  /// How long it has asked for nothing.
  let idle: Duration

  init(name: String, pending: Int, idle: Duration = .zero) {
    self.name = name
    self.pending = pending
    self.idle = idle
  }

  /// - Parameter reply: names and values alternate.
  /// - Returns: nil for a reply that is no consumer.
  init?(_ reply: RedisReply) {
    let fields = reply.elements
    var values: [String: RedisReply] = [:]
    for index in stride(from: 0, to: fields.count - 1, by: 2) {
      if let name = fields[index].text { values[name] = fields[index + 1] }
    }
    guard let name = values["name"]?.text, let pending = values["pending"]?.integer,
      let idle = values["idle"]?.integer
    else { return nil }
    self.init(name: name, pending: Int(pending), idle: .milliseconds(idle))
  }
}
