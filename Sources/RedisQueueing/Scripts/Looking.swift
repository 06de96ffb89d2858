extension RedisScript {
  /// Looks for an entry. Returns `has`, or `forgets` if it was lost, as by `FLUSHALL`: settling deletes an entry, and none
  /// as new was deleted. Otherwise `lacks`: it was settled, or it was lost and a newer one settled.
  static let forgets = RedisScript(
    """
    local key, id = KEYS[1], ARGV[1]
    -- It removes nothing: a replica, which may lack what its primary has, does not take it.
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

  /// Gets the group. Returns how many entries wait, how many are on lease, and the age of the oldest in milliseconds, or
  /// -1 if it is unknown: entries carry the server's time, and the login may not use `TIME`.
  static let backlog = RedisScript(
    """
    local key, age = KEYS[1], -1
    local all, pending = redis.call('XLEN', key), redis.pcall('XPENDING', key, ARGV[1])
    if pending.err and string.sub(pending.err, 1, 7) ~= 'NOGROUP' then return pending end
    local on_lease = pending[1] or 0
    for _, consumer in ipairs(pending[4] or {}) do
      if consumer[1] == '\(ConsumerState.free)' then on_lease = on_lease - consumer[2] end
    end
    -- The entry itself may be of any length, and stays here.
    local oldest, time = redis.call('XRANGE', key, '-', '+', 'COUNT', 1)[1], redis.pcall('TIME')
    if oldest and not time.err then
      local start = tonumber(string.match(oldest[1], '%d+'))
      -- An id that was chosen by hand is not a time.
      if start < (time[1] + 1) * 1000 then age = math.max(0, time[1] * 1000 + time[2] / 1000 - start) end
    end
    return {math.max(0, all - on_lease), on_lease, age}
    """)
}
