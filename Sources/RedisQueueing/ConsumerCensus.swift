internal import Queueing

/// Who of the consumers of a group has ended, as far as repeated looks at the group tell.
struct ConsumerCensus {
  /// After which a consumer counts as ended that gives no signs: a worker of version 0.1.0, or another program.
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
  /// Former names of this process under which there is nothing, and marks that a server restored from a copy has again.
  private(set) var unused: [String] = []
  /// By process: its marks, and how many looks have found the same.
  private var sightings: [String: (marks: String, repeats: Int)] = [:]

  /// - Parameters:
  ///   - process: this one, whose name as a consumer is `current`.
  ///   - ownMarks: those of its marks that may be there.
  mutating func look(
    at consumers: [RedisConsumer], from process: String, as current: String, ownMarks: [String]
  ) {
    var (ended, unexplained, unused): ([Ended], [String], [String]) = ([], [], [])
    // All of them count: one that nobody removes must not hide those that change.
    var marks: [String: String] = [:]
    for consumer in consumers {
      guard let owner = consumer.part(before: "=") else { continue }
      marks[owner, default: ""] += consumer.name
      if owner == process, !ownMarks.contains(consumer.name) { unused.append(consumer.name) }
    }
    var seen: [String: (marks: String, repeats: Int)] = [:]
    for consumer in consumers where consumer.name != ConsumerState.free && consumer.name != current {
      let owner = consumer.part(before: ".")
      if owner == process {
        if consumer.pending > 0 { unexplained.append(consumer.name) } else { unused.append(consumer.name) }
      }
      // Whoever holds nothing need not give a sign of life, and what it takes next comes with a new one.
      guard owner != process, consumer.pending > 0 else { continue }
      guard let owner else {
        if consumer.idle >= Self.longestIdle {
          ended.append(Ended(consumer: consumer.name, process: consumer.name, marks: ""))
        }
        continue
      }
      let marks = marks[owner] ?? ""
      let repeats = sightings[owner].flatMap { $0.marks == marks ? $0.repeats + 1 : nil } ?? 0
      seen[owner] = (marks, repeats)
      if repeats >= QueueLease.missingSigns {
        ended.append(Ended(consumer: consumer.name, process: owner, marks: marks))
      }
    }
    sightings = seen
    self.ended = Array(ended.prefix(Self.maximum))
    self.unexplained = Array(unexplained.prefix(Self.maximum))
    self.unused = Array(unused.prefix(Self.maximum))
  }

  mutating func takeUnexplained() -> [String] {
    defer { unexplained = [] }
    return unexplained
  }
}

/// A consumer of a group.
struct RedisConsumer: Equatable {
  let name: String
  let pending: Int
  var idle = Duration.zero

  /// The process, if it is one of ours: a consumer is called `PROCESS.NUMBER`, and a mark `PROCESS=NUMBER`.
  fileprivate func part(before separator: Character) -> String? {
    guard name.hasPrefix("push-enricher-"), let index = name.lastIndex(of: separator) else { return nil }
    return String(name[..<index])
  }
}

extension RedisConsumer {
  /// - Parameter parts: as `RedisScript.tidy` returns them.
  init?(_ parts: [RedisReply]) {
    guard parts.count == 3, let name = parts[0].text, let pending = parts[1].integer,
      let idle = parts[2].integer
    else { return nil }
    self.init(name: name, pending: Int(pending), idle: .milliseconds(idle))
  }
}
