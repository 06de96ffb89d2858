extension RedisScript {
  /// Looks for an entry. Returns `has` if it is there. Returns `forgets` if it was lost, as by
  /// `FLUSHALL`: settling would have deleted it, and no entry that new was ever deleted. Otherwise
  /// returns `lacks`: it was settled, or it was lost and a newer entry was settled.
  static let forgets = RedisScript(
    """
    local key, id = KEYS[1], ARGV[1]
    -- Removes nothing. A replica, which may lack what its primary has, refuses this write.
    redis.call('XDEL', key, '0-0')
    local stream = redis.pcall('XINFO', 'STREAM', key)
    if stream.err then return string.find(stream.err, 'no such key', 1, true) and 'forgets' or stream end
    if redis.call('XRANGE', key, id, id)[1] then return 'has' end
    local function padded(id)
      return (string.gsub(id, '%d+', function(number) return string.rep('0', 20 - #number) .. number end))
    end
    for i = 1, #stream, 2 do
      if stream[i] == 'max-deleted-entry-id' and padded(stream[i + 1]) < padded(id) then return 'forgets' end
    end
    return 'lacks'
    """)

  /// Takes the group. Returns how many entries wait, how many are on lease, and the age of the
  /// oldest in milliseconds. The age comes from the server's time in the id. It is -1 if the id has
  /// none, or if the login may not use `TIME`.
  static let backlog = RedisScript(
    """
    local key, age = KEYS[1], -1
    local all, pending = redis.call('XLEN', key), redis.pcall('XPENDING', key, ARGV[1])
    if pending.err and string.sub(pending.err, 1, 7) ~= 'NOGROUP' then return pending end
    local on_lease = pending[1] or 0
    for _, consumer in ipairs(pending[4] or {}) do
      local is_free, is_postponed = consumer[1] == '\(ConsumerState.free)', consumer[1] == '\(ConsumerState.postponed)'
      if is_free or is_postponed then on_lease = on_lease - consumer[2] end
      if is_postponed then all = all - consumer[2] end
    end
    -- The entry itself is not returned: it may be of any length.
    local oldest, time = redis.call('XRANGE', key, '-', '+', 'COUNT', 1)[1], redis.pcall('TIME')
    if oldest and not time.err then
      local start = tonumber(string.match(oldest[1], '%d+'))
      -- An id that was chosen by hand contains no time.
      if start < (time[1] + 1) * 1000 then age = math.max(0, time[1] * 1000 + time[2] / 1000 - start) end
    end
    return {math.max(0, all - on_lease), on_lease, age}
    """)
}
