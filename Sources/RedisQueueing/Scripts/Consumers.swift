extension RedisScript {
  /// Replaces the marks of a process with a new one. Takes the group, the new and the old marks.
  static let sign = RedisScript(
    """
    local key, group = KEYS[1], ARGV[1]
    -- Deletes the new mark too, although it does not exist yet: a server at its maxmemory creates a consumer only
    -- in a script that has already written (redis.io/docs/latest/develop/programmability/eval-intro).
    for i = 2, #ARGV do redis.call('XGROUP', 'DELCONSUMER', key, group, ARGV[i]) end
    redis.call('XGROUP', 'CREATECONSUMER', key, group, ARGV[2])
    return 1
    """)

  /// Removes consumers that hold nothing and have been silent for some milliseconds or are named. Frees
  /// entries that are put aside but have lost their time: checks 1,000 of them in each call, and continues
  /// there in the next. Takes the group, the milliseconds, and the names. Returns the name, the number of
  /// messages and the milliseconds of silence of each other consumer.
  static let tidy = RedisScript(
    """
    \(postponedMember)
    \(leaveLine)
    local key, group, silence, is_unused, staying = KEYS[1], ARGV[1], tonumber(ARGV[2]), {}, {}
    -- Removes nothing. Fails if the server refuses writes: then nobody can give signs, and their lack means nothing.
    redis.call('XDEL', key, '0-0')
    local consumers = redis.pcall('XINFO', 'CONSUMERS', key, group)
    if consumers.err then return consumers end
    for i = 3, #ARGV do is_unused[ARGV[i]] = true end
    for _, fields in ipairs(consumers) do
      local consumer = {}
      for i = 1, #fields, 2 do consumer[fields[i]] = fields[i + 1] end
      if consumer.name == '\(ConsumerState.postponed)' then
        local postponed = key .. '\(postponedSuffix)' .. group
        -- Has the last entry that was looked at, if there are more.
        local place = key .. '\(placeSuffix)' .. group
        local start = redis.pcall('ZRANGE', place, 0, 0)[1]
        redis.pcall('ZREMRANGEBYRANK', place, 0, -1)
        local known = redis.pcall('ZCARD', postponed)
        if type(known) == 'number' and known < consumer.pending then
          local from = start and '(' .. start or '-'
          local entries = redis.call('XPENDING', key, group, from, '+', 1000, consumer.name)
          for _, entry in ipairs(entries) do
            if not redis.call('ZSCORE', postponed, member(entry[1])) then
              leave_line(key .. '\(orderSuffix)' .. group, member(entry[1]))
              redis.call('XCLAIM', key, group, '\(ConsumerState.free)', 0, entry[1], 'RETRYCOUNT', entry[4], 'JUSTID')
            end
          end
          if #entries == 1000 then redis.pcall('ZADD', place, 0, entries[1000][1]) end
        end
      end
      if consumer.pending == 0 and (consumer.idle > silence or is_unused[consumer.name]) then
        redis.call('XGROUP', 'DELCONSUMER', key, group, consumer.name)
      else
        staying[#staying + 1] = {consumer.name, consumer.pending, consumer.idle}
      end
    end
    return staying
    """)
}
