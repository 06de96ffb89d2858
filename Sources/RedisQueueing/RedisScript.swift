internal import Queueing

/// What has to happen at once or not at all. Redis runs a script while nobody else does anything, and a crash undoes all of one.
enum RedisScript: CaseIterable {
  /// Takes over what was left, oldest first, and then what is new. KEYS: stream. ARGV: group, consumer, how many, milliseconds after
  /// which a delivery is left, milliseconds of these that are over at the start, bytes from which on the others are left, a consumer
  /// whose deliveries nobody has got but for those that follow, or ''. Those are left at once, and their hand-out does not count.
  /// Returns id, consumer, count, fields and bytes of the fields that were too long of each.
  case receive
  /// Starts the time of deliveries anew. KEYS: stream. ARGV: group, milliseconds that are over, how many hand-outs are taken back,
  /// and then id, consumer and count of each delivery. Returns how many of them were held.
  case renew
  /// Publishes messages and removes the one that they came of, if it is held still. KEYS: stream, targets. ARGV: group, id, consumer
  /// and count of the delivery, '1' where its message was perhaps cut, which is put aside then, and for each target how many words its
  /// fields are, and these. Returns 1, or 0 when it is not held.
  case settle
  /// Returns the id of the oldest entry, or nothing. KEYS: stream. The entry itself may be of any length.
  case oldest
  /// Removes consumers that ended. KEYS: stream. ARGV: group, milliseconds for which they have been silent.
  case tidy

  /// What is handed out of an entry: the body, if it is longer only its beginning, and of the other fields those for which there is room,
  /// where each counts for 64 bytes more than it has; of what was kept for being too long, all. Returns these, the bytes of the others, and
  /// whether anything was cut.
  private static let shorten = """
    local function shorten(fields)
      local kept, lost, cut, has_body, room = {}, 0, false, false, \(MessageLimits.maximumBatchSize)
      if string.sub(KEYS[1], -\(MessageLimits.tooLongSuffix.utf8.count)) == '\(MessageLimits.tooLongSuffix)' then return fields, 0, false end
      for i = 1, #fields, 2 do
        local name, value = fields[i], fields[i + 1]
        local size = #name + #value
        local is_body = name == 'body' and not has_body
        if is_body then
          has_body, cut = true, cut or #value > \(MessageLimits.maximumBodySize)
          value = string.sub(value, 1, \(MessageLimits.maximumBodySize))
        end
        if is_body or size + 64 <= room then
          kept[#kept + 1], kept[#kept + 2] = name, value
          if not is_body then room = room - size - 64 end
        else
          lost, cut = lost + size, true
        end
      end
      return kept, lost, cut
    end
    """

  var text: String {
    switch self {
    case .receive:
      """
      \(Self.shorten)
      local key, group, consumer, limit = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
      local room = tonumber(ARGV[6])
      local taken, cursor = {}, '0-0'
      local function give_back(id, holder, count)
        redis.call('XCLAIM', key, group, holder, 0, id, 'IDLE', ARGV[4], 'RETRYCOUNT', math.max(count - 1, 0), 'JUSTID')
      end
      if ARGV[7] ~= '' then
        local known = {}
        for i = 8, #ARGV do known[ARGV[i]] = true end
        local held = redis.pcall('XPENDING', key, group, '-', '+', #ARGV + 1000, ARGV[7])
        for _, entry in ipairs(held.err and {} or held) do
          if not known[entry[1]] and entry[3] < tonumber(ARGV[4]) then give_back(entry[1], ARGV[7], entry[4]) end
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
      \(Self.shorten)
      local held = redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[2], ARGV[2], 1)[1]
      if not held or held[2] ~= ARGV[3] or held[4] ~= tonumber(ARGV[4]) then return 0 end
      for i = 2, #KEYS do
        local type = redis.call('TYPE', KEYS[i]).ok
        if type ~= 'none' and type ~= 'stream' then
          return redis.error_reply('WRONGTYPE Operation against the key ' .. KEYS[i])
        end
      end
      local entry = ARGV[5] == '1' and redis.call('XRANGE', KEYS[1], ARGV[2], ARGV[2])[1]
      if entry and select(3, shorten(entry[2])) then
        local words, further = {}, {}
        for i, word in ipairs(entry[2]) do table.insert(i <= 2000 and words or further, word) end
        if #further > 0 then
          words[#words + 1], words[#words + 2] = 'further-fields', cjson.encode(further)
        end
        local added = redis.pcall('XADD', KEYS[1] .. '\(MessageLimits.tooLongSuffix)', '*', unpack(words))
        local is_forbidden = added.err and (added.err:find('permission') or added.err:find("can't access"))
        if added.err and string.sub(added.err, 1, 9) == 'WRONGTYPE' then
          return redis.error_reply('WRONGTYPE Operation against the key ' .. KEYS[1] .. '\(MessageLimits.tooLongSuffix)')
        end
        if added.err and not is_forbidden then return added end
      end
      local at = 6
      for i = 2, #KEYS do
        local last = at + tonumber(ARGV[at])
        redis.call('XADD', KEYS[i], '*', unpack(ARGV, at + 1, last))
        at = last + 1
      end
      redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
      redis.call('XDEL', KEYS[1], ARGV[2])
      return 1
      """
    case .oldest:
      """
      local oldest = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
      return oldest and oldest[1]
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
