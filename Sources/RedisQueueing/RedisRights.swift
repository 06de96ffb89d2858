internal import Queueing

/// The rights that a use of a stream needs. They are proved by commands that change nothing: no entry is
/// called `0-0`, and no group or member has these names. Redis checks the rights before anything else.
struct RedisRights {
  private struct Proof {
    let words: [String]
    let key: String
  }

  private let proofs: [Proof]
  private let stream: String

  /// The first one reads the stream. Pass the replies to `check`.
  var commands: [RedisCommand] {
    proofs.map {
      RedisCommand(words: $0.words[0].split(separator: " ").map(String.init) + $0.words.dropFirst())
    }
  }

  /// - Parameter postponing: the group whose messages are put aside. Nil if none are.
  init(for use: QueueUse, of stream: String, postponing: String? = nil) {
    self.stream = stream
    let (group, consumer) = ("push-enricher.none", "nobody")
    let looking = [["XLEN", stream], ["XRANGE", stream, "0-0", "0-0"]]
    let adding = [["XADD", stream, "0-0", "a", "b"], ["MULTI"], ["EXEC"]]
    let taking = [
      // Invalid on purpose: a valid reply would contain the first and the last entry, of any length.
      ["XINFO STREAM", stream, "none"], ["XINFO CONSUMERS", stream, group], ["XPENDING", stream, group],
      ["XGROUP CREATE", stream, group, "no-entry"], ["XGROUP CREATECONSUMER", stream, group, consumer],
      ["XREADGROUP", "GROUP", group, consumer, "COUNT", "1", "STREAMS", stream, "0"],
      ["XCLAIM", stream, group, consumer, "0", "0-0"], ["XGROUP DELCONSUMER", stream, group, consumer],
      ["XACK", stream, group, "0-0"], ["XDEL", stream, "0-0"], ["TYPE", stream],
      ["EVAL", "return 0", "1", stream], ["EVALSHA", String(repeating: "0", count: 40), "1", stream],
    ]
    let words =
      switch use {
      case .looking: looking
      case .adding: [looking[0]] + adding
      // A message that cannot be started is put back at the end of the queue.
      case .taking: looking + taking + adding
      }
    let setProofs = use == .taking ? postponing.map { Self.proofs(of: stream, $0) } ?? [] : []
    proofs = words.map { Proof(words: $0, key: stream) } + setProofs
  }

  /// The sorted sets of the messages that are put aside. These commands find nothing in them.
  private static func proofs(of stream: String, _ group: String) -> [Proof] {
    let (entries, lines) = (
      stream + RedisScript.postponedSuffix + group, stream + RedisScript.orderSuffix + group
    )
    return [
      ["ZADD", entries, "XX", "0", "none"], ["ZREM", lines, "none"], ["ZRANGEBYSCORE", entries, "1", "0"],
      ["ZCARD", entries], ["ZSCORE", entries, "none"], ["ZRANGEBYLEX", lines, "+", "-"],
      ["ZREVRANGEBYLEX", lines, "-", "+"],
    ].map { Proof(words: $0, key: $0[1]) }
  }

  /// - Throws: `QueueError.refused` with everything that is missing, and how to grant it.
  func check(_ replies: [RedisReply], _ server: RedisServer) throws(QueueError) {
    // If EXEC is not allowed, the error of the transaction says so.
    let refusals = zip(proofs, replies).filter {
      $1.error?.hasPrefix("NOPERM ") == true
        || $1.error?.hasPrefix("EXECABORT ") == true && $1.error?.contains("NOPERM ") == true
    }
    guard !refusals.isEmpty else { return }
    // Redis names the command, or says that the key is not allowed.
    let isOfCommand = { (reply: RedisReply) in reply.error?.contains(" command") == true }
    let commands = refusals.filter { isOfCommand($1) }.map(\.0.words[0])
    var keys: [String] = []
    for (proof, reply) in refusals where !isOfCommand(reply) && !keys.contains(proof.key) {
      keys.append(proof.key)
    }
    let missing =
      commands.isEmpty
      ? "use the key\(keys.count == 1 ? "" : "s") \(keys.joined(separator: ", "))"
      : "run \(commands.joined(separator: ", ")) on \(stream)"
    let grants = commands.map { "+" + $0.lowercased().replacing(" ", with: "|") } + keys.map { "~\($0)" }
    throw server.refused("does not let this user \(missing): \(server.grant(grants))")
  }
}
