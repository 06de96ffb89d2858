extension RedisScript {
  /// A sorted set has the entries that are put aside, by the time at which they are due, in
  /// milliseconds since 1970. Its key is the stream's key, this suffix, and the group.
  static let postponedSuffix = "-postponed-"
  /// Makes members of that set from ids of entries. Redis compares members byte by byte, so all have the same
  /// length. Otherwise `-10` would come before `-9`. Milliseconds have 13 digits; only ids that were chosen
  /// by hand have fewer.
  static let postponedMember = """
    local function member(id)
      local time, number = string.match(id, '^(%d+)-(%d+)$')
      return string.rep('0', 13 - #time) .. time .. '-' .. string.rep('0', 20 - #number) .. number
    end
    """
  /// Removes an entry from the set of `orderSuffix`.
  static let leaveLine = """
    local function leave_line(lines, entry)
      for _, name in ipairs(redis.pcall('ZRANGEBYLEX', lines, '[' .. entry .. ' ', '(' .. entry .. '!')) do
        redis.pcall('ZREM', lines, name, string.sub(name, #entry + 2) .. ' ' .. entry)
      end
    end
    """
  /// The suffix of another sorted set, which has the order of each line. It is searched by bytes, so all
  /// scores are 0. It has two members for each entry: one begins with the digest of the line, to find earlier
  /// entries, and one begins with the entry, to find its line.
  static let orderSuffix = "-order-"
  /// The suffix of the set that stores where `tidy` continues.
  static let placeSuffix = "-place-"

  /// Puts the message of a delivery aside, without counting the hand-out. Takes the group, the words of the
  /// receipt, the due time, and the line, which may be empty. Returns 0 if the delivery is no longer held,
  /// otherwise 1.
  static let postpone = RedisScript(
    """
    \(postponedMember)
    local key, group, id, due, line = KEYS[1], ARGV[1], ARGV[2], ARGV[5], ARGV[6]
    local held = redis.call('XPENDING', key, group, id, id, 1)[1]
    if not held or held[2] ~= ARGV[3] or held[4] ~= tonumber(ARGV[4]) then return 0 end
    local entry, digest = member(id), redis.sha1hex(line)
    -- Writes first what may be refused: an entry without a time would wait for `tidy`.
    if line ~= '' then
      redis.call('ZADD', key .. '\(orderSuffix)' .. group, 0, digest .. ' ' .. entry, 0, entry .. ' ' .. digest)
    end
    redis.call('ZADD', key .. '\(postponedSuffix)' .. group, due, entry)
    local count = math.max(held[4] - 1, 0)
    redis.call('XCLAIM', key, group, '\(ConsumerState.postponed)', 0, id, 'RETRYCOUNT', count, 'JUSTID')
    return 1
    """)

  /// Takes the group, then the id and the line of each entry; both may be empty. For each entry, finds the
  /// last earlier entry of its line that is put aside. Returns when that one is due, or nil if there is none.
  static let due = RedisScript(
    """
    \(postponedMember)
    \(leaveLine)
    local key, group, dues = KEYS[1], ARGV[1], {}
    local postponed, lines = key .. '\(postponedSuffix)' .. group, key .. '\(orderSuffix)' .. group
    local function last_due(id, line)
      if id == '' or line == '' then return false end
      local start = redis.sha1hex(line) .. ' '
      while true do
        local found = redis.call('ZREVRANGEBYLEX', lines, '(' .. start .. member(id), '[' .. start, 'LIMIT', 0, 1)[1]
        if not found then return false end
        local entry = string.sub(found, #start + 1)
        local due = redis.call('ZSCORE', postponed, entry)
        if due then return due end
        -- Somebody else has removed its time.
        leave_line(lines, entry)
        redis.call('ZREM', lines, found)
      end
    end
    local is_empty = redis.call('ZCARD', lines) == 0
    for i = 2, #ARGV, 2 do dues[i / 2] = not is_empty and last_due(ARGV[i], ARGV[i + 1]) end
    return dues
    """)
}
