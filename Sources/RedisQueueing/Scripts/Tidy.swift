internal import Queueing
internal import Supporting

extension RedisScript {
  /// Returns how many were removed.
  static let tidyText = """
    local key, group, silence = KEYS[1], ARGV[1], tonumber(ARGV[2])
    local consumers = redis.pcall('XINFO', 'CONSUMERS', key, group)
    if consumers.err then return 0 end
    local removed, is_unused = 0, {}
    for i = 3, #ARGV do is_unused[ARGV[i]] = true end
    for _, fields in ipairs(consumers) do
      local consumer = {}
      for i = 1, #fields, 2 do consumer[fields[i]] = fields[i + 1] end
      if consumer.pending == 0 and (consumer.idle > silence or is_unused[consumer.name]) then
        redis.call('XGROUP', 'DELCONSUMER', key, group, consumer.name)
        removed = removed + 1
      end
    end
    return removed
    """
}

extension RedisCommand {
  /// Removes consumers that hold nothing: those that have not asked for `silence`, whose processes have ended,
  /// and the `unused`.
  static func tidy(_ stream: String, group: String, silence: Duration, unused: [String] = []) -> RedisCommand
  {
    RedisCommand(.tidy, keys: [stream]) {
      $0.append(group)
      $0.append(silence.milliseconds)
      for name in unused { $0.append(name) }
    }
  }
}
