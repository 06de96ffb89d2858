extension RedisScript {
  /// The names of the keys. The first key of both scripts is the name of the push queue followed by `:logs`.
  private static let pushNames = """
    local name = string.sub(KEYS[1], 1, -6)
    local logs, contents, days = KEYS[1], name .. ':contents', name .. ':days'
    """

  /// Opens a push queue. Runs every command that it needs, to prove the rights. Changes no pushes, only the
  /// mark of the layout and counters.
  /// - Returns: the version of the layout.
  static let openPushes = RedisScript(
    """
    \(pushNames)
    redis.call('HSETNX', name .. ':about', 'layout', '1')
    redis.call('HINCRBY', name .. ':about', 'opened', 1)
    -- No field is called '', and no member.
    redis.call('HMGET', logs, '')
    redis.call('HSTRLEN', contents, '')
    redis.call('HGETALL', name .. ':about')
    for _, key in ipairs({logs, contents}) do redis.call('HDEL', key, '') end
    for _, key in ipairs({':ends', ':due', ':active', ':oldest', ':days'}) do
      redis.call('ZADD', name .. key, 'XX', 0, '')
      redis.call('ZREM', name .. key, '')
      redis.call('ZRANGEBYSCORE', name .. key, 1, 0)
      redis.call('ZRANGE', name .. key, 1, 0)
    end
    redis.call('INCRBY', name .. ':bytes', 0)
    redis.call('INCRBY', name .. ':next', 0)
    redis.call('GET', name .. ':bytes')
    redis.call('DEL', name .. ':counts:none')
    return tonumber(redis.call('HGET', name .. ':about', 'layout'))
    """)

  /// Saves devices that nobody has changed since they were loaded, each with its pushes and counts. For each
  /// device, takes its field; its revision when it was loaded; its new value, or nothing to forget the
  /// device; the times of `ends`, `due` and `active`; and the number of the oldest push that may be dropped.
  /// Each of these four is empty if it has not changed. Three lists follow, each after its length: numbers
  /// and contents to add; numbers to drop; days, fields and amounts of counts.
  /// - Returns: the indices of the devices that others have changed. Those are not saved.
  static let savePushes = RedisScript(
    """
    \(pushNames)
    local at, index, changed, size, counts = 1, 0, {}, 0, {}
    local function take()
      at = at + 1
      return ARGV[at - 1]
    end
    while at <= #ARGV do
      local field, before, log = take(), take(), take()
      local known = redis.call('HGET', logs, field)
      local is_same = (known and string.sub(known, 1, 8) or '') == before
      for _, key in ipairs({':ends', ':due', ':active', ':oldest'}) do
        local score = take()
        if not is_same or score == '' then
        elseif score == '0' or log == '' then redis.call('ZREM', name .. key, field)
        else redis.call('ZADD', name .. key, score, field) end
      end
      for _ = 1, tonumber(take()) do
        local number, content = take(), take()
        if is_same then
          redis.call('HSET', contents, number, content)
          size = size + #content + \(RedisDeviceStore.overhead)
        end
      end
      for _ = 1, tonumber(take()) do
        local number = take()
        local length = is_same and redis.call('HSTRLEN', contents, number)
        if is_same and redis.call('HDEL', contents, number) == 1 then
          size = size - length - \(RedisDeviceStore.overhead)
        end
      end
      for _ = 1, tonumber(take()) do
        local day, what, count = take(), take(), take()
        if is_same then
          counts[day] = counts[day] or {}
          counts[day][what] = (counts[day][what] or 0) + count
        end
      end
      if not is_same then changed[#changed + 1] = index
      elseif log == '' then redis.call('HDEL', logs, field)
      else redis.call('HSET', logs, field, log) end
      index = index + 1
    end
    -- The counts are added up, so that each is written once.
    for day, sums in pairs(counts) do
      redis.call('ZADD', days, day, day)
      for what, sum in pairs(sums) do
        redis.call('HINCRBY', name .. ':counts:' .. day, what, string.format('%d', sum))
      end
    end
    if size ~= 0 then redis.call('INCRBY', name .. ':bytes', string.format('%d', size)) end
    return changed
    """)
}
