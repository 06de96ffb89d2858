/// What has to happen at once or not at all. Redis runs a script while nobody else does anything, and a crash undoes all of one.
enum RedisScript: CaseIterable {
  /// Takes over what was left, oldest first, and then what is new. KEYS: stream. ARGV: group, consumer, how many, milliseconds after
  /// which a delivery is left, milliseconds of these that are over at the start, bytes from which on the others are left, bytes that
  /// a longer body is cut to, a consumer whose deliveries nobody has got but for those that follow, or ''.
  /// Those are left at once, and their hand-out does not count. Returns id, consumer, count and fields of each.
  case receive
  /// Starts the time of deliveries anew. KEYS: stream. ARGV: group, milliseconds that are over, how many hand-outs are taken back,
  /// and then id, consumer and count of each delivery. Returns how many of them were held.
  case renew
  /// Publishes messages and removes the one that they came of, if it is held still. KEYS: stream, targets. ARGV: group, id, consumer
  /// and count of the delivery, and for each target how many words its fields are, and these. Returns 1, or 0 when it is not held.
  case settle
  /// Removes consumers that ended. KEYS: stream. ARGV: group, milliseconds for which they have been silent.
  case tidy

  var text: String {
    switch self {
    case .receive:
      """
      local key, group, consumer, limit = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
      local room, longest = tonumber(ARGV[6]), tonumber(ARGV[7])
      local taken, cursor = {}, '0-0'
      local function give_back(id, holder, count)
        redis.call('XCLAIM', key, group, holder, 0, id, 'IDLE', ARGV[4], 'RETRYCOUNT', math.max(count - 1, 0), 'JUSTID')
      end
      if ARGV[8] ~= '' then
        local known = {}
        for i = 9, #ARGV do known[ARGV[i]] = true end
        local held = redis.pcall('XPENDING', key, group, '-', '+', #ARGV + 1000, ARGV[8])
        for _, entry in ipairs(held.err and {} or held) do
          if not known[entry[1]] and entry[3] < tonumber(ARGV[4]) then give_back(entry[1], ARGV[8], entry[4]) end
        end
      end
      local function hand_out(entry, count)
        if room <= 0 then
          give_back(entry[1], consumer, count)
          return
        end
        local fields, has_body = entry[2], false
        for i = 1, #fields, 2 do
          if fields[i] == 'body' and not has_body then
            fields[i + 1], has_body = string.sub(fields[i + 1], 1, longest), true
          end
          room = room - #fields[i] - #fields[i + 1]
        end
        taken[#taken + 1] = {entry[1], consumer, count, fields}
      end
      repeat
        local left = redis.pcall('XAUTOCLAIM', key, group, consumer, ARGV[4], cursor, 'COUNT', limit - #taken)
        if left.err then
          if string.sub(left.err, 1, 7) ~= 'NOGROUP' then return left end
          redis.call('XGROUP', 'CREATE', key, group, '0', 'MKSTREAM')
          left = {'0-0', {}}
        end
        cursor = left[1]
        for _, entry in ipairs(left[2]) do
          hand_out(entry, redis.call('XPENDING', key, group, entry[1], entry[1], 1)[1][4])
        end
      until cursor == '0-0' or #taken >= limit or room <= 0
      if #taken < limit and room > 0 then
        local new = redis.call('XREADGROUP', 'GROUP', group, consumer, 'COUNT', limit - #taken, 'STREAMS', key, '>')
        for _, entry in ipairs(new and new[1][2] or {}) do hand_out(entry, 1) end
      end
      if ARGV[5] ~= '0' then
        for _, entry in ipairs(taken) do
          redis.call('XCLAIM', key, group, consumer, 0, entry[1], 'IDLE', ARGV[5], 'JUSTID')
        end
      end
      return taken
      """
    case .renew:
      """
      local key, group, renewed = KEYS[1], ARGV[1], 0
      for i = 4, #ARGV, 3 do
        local held = redis.call('XPENDING', key, group, ARGV[i], ARGV[i], 1)[1]
        if held and held[2] == ARGV[i + 1] and held[4] == tonumber(ARGV[i + 2]) then
          redis.call('XCLAIM', key, group, held[2], 0, held[1], 'IDLE', ARGV[2],
            'RETRYCOUNT', math.max(held[4] - ARGV[3], 0), 'JUSTID')
          renewed = renewed + 1
        end
      end
      return renewed
      """
    case .settle:
      """
      local held = redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[2], ARGV[2], 1)[1]
      if not held or held[2] ~= ARGV[3] or held[4] ~= tonumber(ARGV[4]) then return 0 end
      for i = 2, #KEYS do
        local type = redis.call('TYPE', KEYS[i]).ok
        if type ~= 'none' and type ~= 'stream' then
          return redis.error_reply('WRONGTYPE Operation against the key ' .. KEYS[i])
        end
      end
      local at = 5
      for i = 2, #KEYS do
        local last = at + tonumber(ARGV[at])
        redis.call('XADD', KEYS[i], '*', unpack(ARGV, at + 1, last))
        at = last + 1
      end
      redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
      redis.call('XDEL', KEYS[1], ARGV[2])
      return 1
      """
    case .tidy:
      """
      local consumers = redis.pcall('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])
      if consumers.err then return 0 end
      local removed = 0
      for _, fields in ipairs(consumers) do
        local consumer = {}
        for i = 1, #fields, 2 do consumer[fields[i]] = fields[i + 1] end
        if consumer.pending == 0 and consumer.idle > tonumber(ARGV[2]) then
          redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], consumer.name)
          removed = removed + 1
        end
      end
      return removed
      """
    }
  }
}
