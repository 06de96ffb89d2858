extension RedisScript {
  /// Follows the stream's key in that of a sorted set: the entries that are put aside, by the time at
  /// which they are due, in milliseconds since 1970. The group follows.
  static let postponedSuffix = "-postponed-"
  /// Makes members of that set from ids of entries. Members with the same time are in the order of their letters, so
  /// that ids of one length are needed, or `-10` would come before `-9`.
  static let postponedMember = """
    local function member(id)
      local time, number = string.match(id, '^(%d+)-(%d+)$')
      return time .. '-' .. string.rep('0', 20 - #number) .. number
    end
    """
  /// The same for the set of lines, by the time at which the last of their messages is due.
  static let linesSuffix = "-lines-"
  /// The same for where `tidy` goes on.
  static let placeSuffix = "-place-"

  /// Puts the message of a delivery aside, without counting the hand-out. Takes the group, the words
  /// of the receipt, when it is due, the line or nothing, and the time of day. Returns 0 if the
  /// delivery is no longer held, otherwise 1.
  static let postpone = RedisScript(
    """
    \(postponedMember)
    local key, group, id, due, line = KEYS[1], ARGV[1], ARGV[2], ARGV[5], ARGV[6]
    local held = redis.call('XPENDING', key, group, id, id, 1)[1]
    if not held or held[2] ~= ARGV[3] or held[4] ~= tonumber(ARGV[4]) then return 0 end
    local lines = key .. '\(linesSuffix)' .. group
    -- Writes first what may be refused: an entry without a time would wait for `tidy`.
    if line ~= '' then
      redis.call('ZADD', lines, 'GT', due, line)
      redis.call('ZREMRANGEBYSCORE', lines, '-inf', ARGV[7])
    end
    redis.call('ZADD', key .. '\(postponedSuffix)' .. group, due, member(id))
    local count = math.max(held[4] - 1, 0)
    redis.call('XCLAIM', key, group, '\(ConsumerState.postponed)', 0, id, 'RETRYCOUNT', count, 'JUSTID')
    return 1
    """)
}
