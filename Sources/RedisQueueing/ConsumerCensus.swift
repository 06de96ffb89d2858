internal import Queueing

/// Finds consumers of a group that have ended, by looking at the group repeatedly.
struct ConsumerCensus {
  /// The limit for consumers without signs of life: of version 0.1.0 or of another program.
  private static let longestIdle = Duration.seconds(90)
  /// How many consumers of each kind a look notes. Any others wait for a later look.
  private static let maximum = 100

  /// A consumer that holds messages although its process has ended.
  struct Ended: Equatable {
    let consumer: String
    let process: String
    /// All marks seen of the process, joined. If they have changed by now, the process is alive.
    let marks: String
  }

  private(set) var looks = 0
  /// Consumers whose messages may be taken.
  private(set) var ended: [Ended] = []
  /// Former names of this process that hold messages. The messages that never arrived may be freed.
  private var unexplained: [String] = []
  /// Former names of this process that hold nothing, and its old marks that a restored server has.
  private(set) var unused: [String] = []
  /// The marks of each process, and how many looks in a row have found the same ones.
  private var sightings: [String: (marks: String, repeats: Int)] = [:]

  /// - Parameter process: this process. It is the consumer `current`, and may have left `ownMarks`.
  mutating func look(
    at consumers: [RedisConsumer], from process: String, as current: String, ownMarks: [String]
  ) {
    looks += 1
    let earlier = sightings
    (ended, unexplained, unused, sightings) = ([], [], [], [:])
    // All marks count: an old one that nobody removes must not hide one that changes.
    var marks: [String: String] = [:]
    for consumer in consumers {
      guard let owner = consumer.part(before: "=") else { continue }
      marks[owner, default: ""] += consumer.name
      if owner == process, !ownMarks.contains(consumer.name) { unused.append(consumer.name) }
    }
    let ours = [ConsumerState.free, ConsumerState.postponed, current]
    for consumer in consumers where !ours.contains(consumer.name) {
      let owner = consumer.part(before: ".")
      if owner == process {
        if consumer.pending > 0 { unexplained.append(consumer.name) } else { unused.append(consumer.name) }
        continue
      }
      // Consumers without messages need not give signs. They set a new mark when they take some.
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

  /// The process, if the consumer is ours. Consumers are called `PROCESS.NUMBER`, marks `PROCESS=NUMBER`.
  fileprivate func part(before separator: Character) -> String? {
    guard name.hasPrefix("push-enricher-"), let index = name.lastIndex(of: separator) else { return nil }
    return String(name[..<index])
  }
}

extension RedisConsumer {
  /// - Parameter parts: an item of the result of `RedisScript.tidy`.
  init?(_ parts: [RedisReply]) {
    guard parts.count == 3, let name = parts[0].text, let pending = parts[1].integer,
      let idle = parts[2].integer
    else { return nil }
    self.init(name: name, pending: Int(pending), idle: .milliseconds(idle))
  }
}
