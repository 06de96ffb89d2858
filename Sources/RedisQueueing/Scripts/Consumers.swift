internal import Queueing
internal import Supporting

extension RedisScript {
  static let sign = RedisScript(
    """
    local key, group = KEYS[1], ARGV[1]
    -- All of them, and the new one, which is not there yet: a server at its maxmemory makes a consumer only in a
    -- script that has written before (redis.io/docs/latest/develop/programmability/eval-intro).
    for i = 2, #ARGV do redis.call('XGROUP', 'DELCONSUMER', key, group, ARGV[i]) end
    redis.call('XGROUP', 'CREATECONSUMER', key, group, ARGV[2])
    return 1
    """)

  /// Returns name, number of messages, and milliseconds without a request of each consumer that stays.
  static let tidy = RedisScript(
    """
    local key, group, silence, is_unused, staying = KEYS[1], ARGV[1], tonumber(ARGV[2]), {}, {}
    local consumers = redis.pcall('XINFO', 'CONSUMERS', key, group)
    if consumers.err then return consumers end
    for i = 3, #ARGV do is_unused[ARGV[i]] = true end
    for _, fields in ipairs(consumers) do
      local consumer = {}
      for i = 1, #fields, 2 do consumer[fields[i]] = fields[i + 1] end
      if consumer.pending == 0 and (consumer.idle > silence or is_unused[consumer.name]) then
        -- It may stay if a full disk forbids it.
        redis.pcall('XGROUP', 'DELCONSUMER', key, group, consumer.name)
      else
        staying[#staying + 1] = {consumer.name, consumer.pending, consumer.idle}
      end
    end
    return staying
    """)
}

extension RedisCommand {
  /// Replaces the marks of this process by a new one.
  static func leave(_ sign: ConsumerState.Sign, in stream: String, group: String) -> RedisCommand {
    RedisCommand(.sign, keys: [stream], [group, sign.mark] + sign.oldMarks)
  }

  /// Looks at all consumers, and removes those that hold nothing: those whose processes have asked for nothing during `silence`, and `unused`.
  static func tidy(
    _ stream: String, group: String, silence: Duration, unused: [String] = []
  ) -> RedisCommand {
    RedisCommand(.tidy, keys: [stream], [group, "\(silence.milliseconds)"] + unused)
  }
}
