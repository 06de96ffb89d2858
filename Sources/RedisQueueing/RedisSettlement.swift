internal import Queueing

/// The end of a delivery: what is published, and the entry that is then removed.
struct RedisSettlement: Sendable {
  /// The most settlements in one script. More would keep other clients of the server waiting.
  static let maximumInScript = 64

  let stream: String
  let group: String
  let receipt: RedisReceipt
  /// Whether the message may have been cut. If it was, the full entry is kept in `NAME-too-long`, if the user
  /// may write there.
  let mayBeCut: Bool
  let publications: [(message: Message, stream: String)]

  /// The indices of the settlements that share a script: those of the same stream and group.
  static func scripts(for settlements: [RedisSettlement]) -> [[Int]] {
    var scripts: [[Int]] = []
    for (index, settlement) in settlements.enumerated() {
      let open = scripts.lastIndex { script in
        let other = settlements[script[0]]
        return script.count < maximumInScript && other.stream.isSameKey(as: settlement.stream)
          && other.group.isSameKey(as: settlement.group)
      }
      if let open { scripts[open].append(index) } else { scripts.append([index]) }
    }
    return scripts
  }
}

extension RedisCommand {
  /// - Parameter settlements: at least one. All are of the same stream and group.
  static func settle(_ settlements: [RedisSettlement]) -> RedisCommand {
    var keys = settlements.prefix(1).map(\.stream)
    for target in settlements.flatMap(\.publications).map(\.stream)
    where !keys.contains(where: target.isSameKey) {
      keys.append(target)
    }
    let bodies = settlements.flatMap(\.publications).reduce(0) { $0 + $1.message.body.count + 512 }
    var command = RedisCommand(.settle, keys: keys, settlements.prefix(1).map(\.group), size: bodies)
    for settlement in settlements {
      for word in settlement.receipt.words { command.append(word) }
      command.append(settlement.mayBeCut ? "1" : "0")
      command.append("\(settlement.publications.count)")
      for (message, stream) in settlement.publications {
        // Lua counts from 1.
        command.append("\((keys.firstIndex(where: stream.isSameKey) ?? 0) + 1)")
        command.append("\(message.countOfRedisFields)")
        command.append(message)
      }
    }
    return command
  }
}

extension String {
  /// Compares bytes, as Redis does. `==` ignores how an accent is written.
  fileprivate func isSameKey(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
