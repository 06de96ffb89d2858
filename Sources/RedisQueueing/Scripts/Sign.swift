extension RedisScript {
  /// Returns 1.
  static let signText = """
    local key, group = KEYS[1], ARGV[1]
    -- All of them, and the new one, which is not there yet: a server at its maxmemory makes a consumer only in a
    -- script that has written before (redis.io/docs/latest/develop/programmability/eval-intro).
    for i = 2, #ARGV do redis.call('XGROUP', 'DELCONSUMER', key, group, ARGV[i]) end
    redis.call('XGROUP', 'CREATECONSUMER', key, group, ARGV[2])
    return 1
    """
}

extension RedisCommand {
  /// Replaces the marks of this process by a new one.
  static func leave(_ sign: ConsumerState.Sign, in stream: String, group: String) -> RedisCommand {
    RedisCommand(.sign, keys: [stream]) { words in
      words.append(group)
      words.append(sign.mark)
      for mark in sign.oldMarks { words.append(mark) }
    }
  }
}
