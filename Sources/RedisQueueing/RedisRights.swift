internal import Queueing

/// What a user has to be allowed for a use of a stream, proved by commands that change nothing: Redis looks at the
/// rights before anything else. There is no entry `0-0`, and no group of this name.
struct RedisRights {
  private let proofs: [[String]]
  private let stream: String

  /// In the order of which `check` gets the replies. The first looks whether there is a stream.
  var commands: [RedisCommand] {
    proofs.map { RedisCommand(words: $0[0].split(separator: " ").map(String.init) + $0.dropFirst()) }
  }

  init(for use: QueueUse, of stream: String) {
    self.stream = stream
    let (group, consumer) = ("push-enricher.none", "nobody")
    let looking = [["XLEN", stream], ["XRANGE", stream, "0-0", "0-0"]]
    let adding = [["XADD", stream, "0-0", "a", "b"], ["MULTI"], ["EXEC"]]
    let taking = [
      // A mistake, because the reply would have the first and the last entry, of any length.
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
      // What cannot start is added again, at the end.
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
    let grants = commands.map { "+" + $0.lowercased().replacing(" ", with: "|") }
    let missing =
      commands.isEmpty ? "use the key \(stream)" : "run \(commands.joined(separator: ", ")) on \(stream)"
    let keys = commands.count == refusals.count ? [] : ["~\(stream)"]
    throw .refused(
      "\(server.name) does not let this user \(missing): grant it with ACL SETUSER \(server.user ?? "default") \((grants + keys).joined(separator: " "))"
    )
  }
}
