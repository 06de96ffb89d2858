internal import Queueing
internal import Supporting

extension RedisScript {
  /// Returns how many were removed.
  static let tidyText = """
    local key, group, silence = KEYS[1], ARGV[1], tonumber(ARGV[2])
    local consumers = redis.pcall('XINFO', 'CONSUMERS', key, group)
    if consumers.err then return 0 end
    local removed = 0
    for _, fields in ipairs(consumers) do
      local consumer = {}
      for i = 1, #fields, 2 do consumer[fields[i]] = fields[i + 1] end
      if consumer.pending == 0 and consumer.idle > silence then
        redis.call('XGROUP', 'DELCONSUMER', key, group, consumer.name)
        removed = removed + 1
      end
    end
    return removed
    """
}

extension RedisCommand {
  /// Removes consumers that hold nothing and have not asked for `silence`: their processes have ended.
  static func tidy(_ stream: String, group: String, silence: Duration) -> RedisCommand {
    RedisCommand(.tidy, keys: [stream]) {
      $0.append(group)
      $0.append(silence.milliseconds)
    }
  }
}
