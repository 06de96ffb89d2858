extension RedisScript {
  /// Frees messages that were put aside and are due, and messages of ended consumers. Hands out freed and
  /// released messages in their order, then new entries. Gives back those for which there is no room.
  ///
  /// Takes the group, the consumer, the limit, the room in bytes, the time of day in milliseconds, `1` if no
  /// new entries are to be taken while other consumers hold some, and lists, each preceded by its length:
  /// - a mark to set if anything is handed out, and the old marks to remove then;
  /// - former names of the consumer, and the ids of entries that have arrived. Other entries under
  ///   these names were lost on the way, so they are given back first, without counting that
  ///   hand-out;
  /// - ended consumers, each with its process and marks. Their messages are taken if the marks are
  ///   still the same.
  ///
  /// Returns the id, consumer, count and fields of each entry, and how many bytes were left out.
  static let receive = RedisScript(
    """
    \(shorten)
    \(leaveLine)
    local key, group, consumer, limit, room = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
    local free, taken, at = '\(ConsumerState.free)', {}, 7
    local function list()
      local first, words = at + 1, {}
      at = first + tonumber(ARGV[at])
      for i = first, at - 1 do words[#words + 1] = ARGV[i] end
      return words
    end
    local mark, old_marks, searched, known, ended = list()[1], list(), list(), list(), list()
    local function move(id, count)
      redis.call('XCLAIM', key, group, free, 0, id, 'RETRYCOUNT', count, 'JUSTID')
    end
    local function give_back(id, count) move(id, math.max(count - 1, 0)) end
    local function hand_out(entry, count)
      if room <= 0 then return give_back(entry[1], count) end
      local fields, lost = shorten(entry[2])
      for _, word in ipairs(fields) do room = room - #word - 16 end
      taken[#taken + 1] = {entry[1], consumer, count, fields, lost}
    end
    local function held_by(name, count) return redis.call('XPENDING', key, group, '-', '+', count, name) end
    local function take_free()
      for _, entry in ipairs(held_by(free, limit)) do
        if room <= 0 then return end
        -- A deleted entry is not returned, and is no longer pending.
        local claimed = redis.call('XCLAIM', key, group, consumer, 0, entry[1])[1]
        if claimed then hand_out(claimed, entry[4] + 1) end
      end
    end
    local released = redis.pcall('XPENDING', key, group, '-', '+', 1, free)
    if released.err then
      if string.sub(released.err, 1, 7) ~= 'NOGROUP' then return released end
      redis.call('XGROUP', 'CREATE', key, group, '0', 'MKSTREAM')
    end
    -- Asks only if something is put aside: a user who puts nothing aside needs no rights to this key, and Redis
    -- would log each refusal (ACL LOG).
    local postponed = key .. '\(postponedSuffix)' .. group
    local is_aside = held_by('\(ConsumerState.postponed)', 1)[1]
    local due = is_aside and redis.pcall('ZRANGEBYSCORE', postponed, '-inf', ARGV[5], 'LIMIT', 0, limit) or {}
    if due.err then due = {} end
    for _, entry in ipairs(due) do
      leave_line(key .. '\(orderSuffix)' .. group, entry)
      redis.call('ZREM', postponed, entry)
      local id = string.gsub(string.gsub(entry, '^0*(%d)', '%1'), '%-0*(%d)', '-%1')
      local held = redis.call('XPENDING', key, group, id, id, 1)[1]
      if held and held[2] == '\(ConsumerState.postponed)' then give_back(id, held[4] + 1) end
    end
    local is_known = {}
    for _, id in ipairs(known) do is_known[id] = true end
    for _, name in ipairs(searched) do
      for _, entry in ipairs(held_by(name, #known + 1000)) do
        if not is_known[entry[1]] then give_back(entry[1], entry[4]) end
      end
    end
    -- All of them are freed before any is taken: a process may have ended while it took over from another, whose
    -- messages are then later ones.
    if #ended > 0 then
      local marks = {}
      for _, fields in ipairs(redis.call('XINFO', 'CONSUMERS', key, group)) do
        local process = string.match(fields[2], '^(.*)=')
        if process then marks[process] = (marks[process] or '') .. fields[2] end
      end
      for i = 1, #ended, 3 do
        if (marks[ended[i + 1]] or '') == ended[i + 2] then
          for _, entry in ipairs(held_by(ended[i], limit)) do move(entry[1], entry[4]) end
        end
      end
    end
    if released[1] or #searched > 0 or #due > 0 or #ended > 0 then take_free() end
    local function others_hold()
      for _, holder in ipairs(redis.call('XPENDING', key, group)[4] or {}) do
        if holder[1] ~= free and holder[1] ~= '\(ConsumerState.postponed)' and holder[1] ~= consumer then return true end
      end
      return false
    end
    if #taken < limit and room > 0 and #due < limit and not (ARGV[6] == '1' and others_hold()) then
      local new = redis.call('XREADGROUP', 'GROUP', group, consumer, 'COUNT', limit - #taken, 'STREAMS', key, '>')
      for _, entry in ipairs(new and new[1][2] or {}) do hand_out(entry, 1) end
    end
    if #taken > 0 then
      for _, old in ipairs(old_marks) do redis.call('XGROUP', 'DELCONSUMER', key, group, old) end
      redis.call('XGROUP', 'CREATECONSUMER', key, group, mark)
    end
    return taken
    """)

  /// Frees the messages of deliveries that are still held, without counting their hand-out. Takes
  /// the group and the words of the receipts. Returns the positions, from 1, of those that were
  /// held.
  static let release = RedisScript(
    """
    local key, group, free, released = KEYS[1], ARGV[1], '\(ConsumerState.free)', {}
    for i = 2, #ARGV, 3 do
      local held = redis.call('XPENDING', key, group, ARGV[i], ARGV[i], 1)[1]
      if held and held[2] == ARGV[i + 1] and held[4] == tonumber(ARGV[i + 2]) then
        redis.call('XCLAIM', key, group, free, 0, held[1], 'RETRYCOUNT', math.max(held[4] - 1, 0), 'JUSTID')
        released[#released + 1] = (i + 1) / 3
      end
    end
    return released
    """)
}
