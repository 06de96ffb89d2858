extension RedisScript {
  /// Replaces marks of a process by a new one. Gets the group, the new mark, and the old ones.
  static let sign = RedisScript(
    """
    local key, group = KEYS[1], ARGV[1]
    -- All of them, and the new one, which is not there yet: a server at its maxmemory makes a consumer only in a
    -- script that has written before (redis.io/docs/latest/develop/programmability/eval-intro).
    for i = 2, #ARGV do redis.call('XGROUP', 'DELCONSUMER', key, group, ARGV[i]) end
    redis.call('XGROUP', 'CREATECONSUMER', key, group, ARGV[2])
    return 1
    """)

  /// Removes consumers that hold nothing: those that are silent for some milliseconds, and those that are named. Gets the
  /// group, that time, and the names. Returns for each other its name, its messages, and the milliseconds of silence.
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
