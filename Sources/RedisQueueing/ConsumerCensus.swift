internal import Queueing

/// Which consumers of a group have ended, as far as repeated looks at the group tell.
struct ConsumerCensus {
  /// For a consumer that gives no signs, of version 0.1.0 or another program.
  private static let longestIdle = Duration.seconds(90)
  /// The rest waits for a later look.
  private static let maximum = 100

  /// A consumer that holds messages, and whose process has ended.
  struct Ended: Equatable {
    let consumer: String
    let process: String
    /// All marks that were seen of the process, joined. If they differ by now, it is alive.
    let marks: String
  }

  /// Consumers whose messages may be taken.
  private(set) var ended: [Ended] = []
  /// Former names of this process that hold messages. Messages that have not arrived here are free.
  private var unexplained: [String] = []
  /// Former names of this process that hold nothing, and marks that a server restored from a copy has again.
  private(set) var unused: [String] = []
  /// By process: its marks, and how many looks have found the same.
  private var sightings: [String: (marks: String, repeats: Int)] = [:]

  /// - Parameter process: this process, which is called `current` as a consumer, and may have left `ownMarks`.
  mutating func look(
    at consumers: [RedisConsumer], from process: String, as current: String, ownMarks: [String]
  ) {
    let earlier = sightings
    (ended, unexplained, unused, sightings) = ([], [], [], [:])
    // All marks count: one that nobody removes must not hide those that change.
    var marks: [String: String] = [:]
    for consumer in consumers {
      guard let owner = consumer.part(before: "=") else { continue }
      marks[owner, default: ""] += consumer.name
      if owner == process, !ownMarks.contains(consumer.name) { unused.append(consumer.name) }
    }
    for consumer in consumers where consumer.name != ConsumerState.free && consumer.name != current {
      let owner = consumer.part(before: ".")
      if owner == process {
        if consumer.pending > 0 { unexplained.append(consumer.name) } else { unused.append(consumer.name) }
        continue
      }
      // A consumer that holds nothing need not give signs. What it takes next comes with a new one.
      guard consumer.pending > 0 else { continue }
      let marks = owner.flatMap { marks[$0] } ?? ""
      if let owner {
        let repeats = earlier[owner].flatMap { $0.marks == marks ? $0.repeats + 1 : nil } ?? 0
        sightings[owner] = (marks, repeats)
        guard repeats >= QueueLease.missingSigns else { continue }
      } else if consumer.idle < Self.longestIdle {
        continue
      }
      ended.append(Ended(consumer: consumer.name, process: owner ?? consumer.name, marks: marks))
    }
    ended = Array(ended.prefix(Self.maximum))
    unexplained = Array(unexplained.prefix(Self.maximum))
    unused = Array(unused.prefix(Self.maximum))
  }

  mutating func takeUnexplained() -> [String] {
    defer { unexplained = [] }
    return unexplained
  }
}

struct RedisConsumer: Equatable {
  let name: String
  /// How many messages it holds.
  let pending: Int
  var idle = Duration.zero

  /// Its process, if that is one of ours: a consumer is called `PROCESS.NUMBER`, and a mark `PROCESS=NUMBER`.
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
