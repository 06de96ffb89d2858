internal import Queueing
internal import Supporting

extension RedisScript {
  /// Returns id, consumer, count, fields, and bytes of the fields that were left out, for each entry.
  static let receiveText = """
    \(shorten)
    local key, group, consumer, limit = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
    local lease, initial_idle, room, searched = ARGV[4], ARGV[5], tonumber(ARGV[6]), ARGV[7]
    local taken = {}
    local function give_back(id, holder, count)
      redis.call('XCLAIM', key, group, holder, 0, id, 'IDLE', lease, 'RETRYCOUNT', math.max(count - 1, 0), 'JUSTID')
    end
    if searched ~= '' then
      local known = {}
      for i = 8, #ARGV do known[ARGV[i]] = true end
      local held = redis.pcall('XPENDING', key, group, '-', '+', #ARGV + 1000, searched)
      for _, entry in ipairs(held.err and {} or held) do
        if not known[entry[1]] and entry[3] < tonumber(lease) then give_back(entry[1], searched, entry[4]) end
      end
    end
    local function hand_out(entry, count)
      if room <= 0 then
        give_back(entry[1], consumer, count)
        return
      end
      local fields, lost = shorten(entry[2])
      for _, word in ipairs(fields) do room = room - #word - 16 end
      taken[#taken + 1] = {entry[1], consumer, count, fields, lost}
    end
    -- Most times no lease is over, and XAUTOCLAIM would look for the entry of each one.
    local ended = redis.pcall('XPENDING', key, group, 'IDLE', lease, '-', '+', 1)
    if ended.err then
      if string.sub(ended.err, 1, 7) ~= 'NOGROUP' then return ended end
      redis.call('XGROUP', 'CREATE', key, group, '0', 'MKSTREAM')
      ended = {}
    end
    local cursor = ended[1] and ended[1][1] or '0-0'
    while cursor ~= '0-0' and #taken < limit and room > 0 do
      local left = redis.call('XAUTOCLAIM', key, group, consumer, lease, cursor, 'COUNT', limit - #taken)
      cursor = left[1]
      for _, entry in ipairs(left[2]) do
        hand_out(entry, redis.call('XPENDING', key, group, entry[1], entry[1], 1)[1][4])
      end
    end
    if #taken < limit and room > 0 then
      local new = redis.call('XREADGROUP', 'GROUP', group, consumer, 'COUNT', limit - #taken, 'STREAMS', key, '>')
      for _, entry in ipairs(new and new[1][2] or {}) do hand_out(entry, 1) end
    end
    if initial_idle ~= '0' then
      for _, entry in ipairs(taken) do
        redis.call('XCLAIM', key, group, consumer, 0, entry[1], 'IDLE', initial_idle, 'JUSTID')
      end
    end
    return taken
    """
}

extension RedisCommand {
  /// Takes over deliveries whose lease is over, oldest first, and then new entries.
  /// - Parameters:
  ///   - limit: how many at most. Fewer if they are long: what would exceed `MessageLimits.maximumBatchSize`
  ///     is given back.
  ///   - initialIdleTime: how much of `QueueLease.duration` counts as over when they are handed out.
  ///   - search: a consumer whose deliveries may have been lost on the way, or an empty string, and the ids
  ///     of those that arrived. The others are given back first, and their hand-out is not counted.
  static func receive(
    _ limit: Int, from stream: String, group: String, consumer: String, initialIdleTime: Duration,
    search: [String]
  ) -> RedisCommand {
    RedisCommand(.receive, keys: [stream]) { words in
      words.append(group)
      words.append(consumer)
      words.append(limit)
      words.append(QueueLease.duration.milliseconds)
      words.append(initialIdleTime.milliseconds)
      words.append(MessageLimits.maximumBatchSize)
      for word in search { words.append(word) }
    }
  }
}
