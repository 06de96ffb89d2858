internal import Queueing

/// The rights that a use of a stream needs, proved by commands that change nothing: there is no entry `0-0`, and no group
/// of this name. Redis looks at the rights first.
struct RedisRights {
  private let proofs: [[String]]
  private let stream: String

  /// The first looks at the stream. `check` gets the replies.
  var commands: [RedisCommand] {
    proofs.map { RedisCommand(words: $0[0].split(separator: " ").map(String.init) + $0.dropFirst()) }
  }

  init(for use: QueueUse, of stream: String) {
    self.stream = stream
    let (group, consumer) = ("push-enricher.none", "nobody")
    let looking = [["XLEN", stream], ["XRANGE", stream, "0-0", "0-0"]]
    let adding = [["XADD", stream, "0-0", "a", "b"], ["MULTI"], ["EXEC"]]
    let taking = [
      // A mistake on purpose: the reply would have the first and the last entry, of any length.
      ["XINFO STREAM", stream, "none"], ["XINFO CONSUMERS", stream, group], ["XPENDING", stream, group],
      ["XGROUP CREATE", stream, group, "no-entry"], ["XGROUP CREATECONSUMER", stream, group, consumer],
      ["XREADGROUP", "GROUP", group, consumer, "COUNT", "1", "STREAMS", stream, "0"],
      ["XCLAIM", stream, group, consumer, "0", "0-0"], ["XGROUP DELCONSUMER", stream, group, consumer],
      ["XACK", stream, group, "0-0"], ["XDEL", stream, "0-0"], ["TYPE", stream],
      ["EVAL", "return 0", "1", stream], ["EVALSHA", String(repeating: "0", count: 40), "1", stream],
    ]
    proofs =
      switch use {
      case .looking: looking
      case .adding: [looking[0]] + adding
      // A message that cannot be started is added again, at the end.
      case .taking: looking + taking + adding
      }
  }

  /// - Throws: `QueueError.refused` with all that is missing, and how to grant it.
  func check(_ replies: [RedisReply], _ server: RedisServer) throws(QueueError) {
    // A transaction tells in its own error that EXEC is not allowed.
    let refusals = zip(proofs, replies).filter {
      $1.error?.hasPrefix("NOPERM ") == true
        || $1.error?.hasPrefix("EXECABORT ") == true && $1.error?.contains("NOPERM ") == true
    }
    guard !refusals.isEmpty else { return }
    // Redis names the command, or says that it is about a key.
    let commands = refusals.filter { $1.error?.contains(" command") == true }.map(\.0[0])
    let missing =
      commands.isEmpty ? "use the key \(stream)" : "run \(commands.joined(separator: ", ")) on \(stream)"
    let grants =
      commands.map { "+" + $0.lowercased().replacing(" ", with: "|") }
      + (commands.count == refusals.count ? [] : ["~\(stream)"])
    let rule = "ACL SETUSER \(server.user ?? "default") \(grants.joined(separator: " "))"
    throw server.refused("does not let this user \(missing): grant it with \(rule)")
  }
}
