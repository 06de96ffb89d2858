internal import Queueing

extension RedisScript {
  /// A Lua function that cuts the body of an entry to `MessageLimits.maximumBodySize`, and keeps
  /// the other fields that fit into `MessageLimits.maximumBatchSize`, counting 64 more bytes for
  /// each. Also returns the size of the lost fields in bytes, and whether anything was cut. Does
  /// not shorten entries of a `-too-long` stream.
  static let shorten = """
    local function shorten(fields)
      local kept, lost, cut, has_body, room = {}, 0, false, false, \(MessageLimits.maximumBatchSize)
      if string.sub(KEYS[1], -\(MessageLimits.tooLongSuffix.utf8.count)) == '\(MessageLimits.tooLongSuffix)' then return fields, 0, false end
      for i = 1, #fields, 2 do
        local name, value, is_body = fields[i], fields[i + 1], fields[i] == 'body' and not has_body
        local size = #name + #value
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

  /// Returns 1, or 0 if the delivery is no longer held. After an error, returns the number of
  /// publications made before it, and the error. If there were none, returns only the error.
  static let settle = RedisScript(
    """
    \(shorten)
    local function is_wrong_type(added) return added.err and string.sub(added.err, 1, 9) == 'WRONGTYPE' end
    local function wrong_type(key) return redis.error_reply('WRONGTYPE Operation against the key ' .. key) end
    local key, group, id, consumer, count, may_be_cut = KEYS[1], ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
    -- '1' is text: Redis would format a number with 17 digits.
    local held = redis.call('XPENDING', key, group, id, id, '1')[1]
    if not held or held[2] ~= consumer or held[4] ~= count then return 0 end
    -- If only one entry is added, XADD itself checks the type.
    for i = (may_be_cut == '1' or #KEYS > 2) and 2 or 3, #KEYS do
      local type = redis.call('TYPE', KEYS[i]).ok
      if type ~= 'none' and type ~= 'stream' then return wrong_type(KEYS[i]) end
    end
    local entry = may_be_cut == '1' and redis.call('XRANGE', key, id, id)[1]
    if entry and select(3, shorten(entry[2])) then
      local words, further = {}, {}
      for i, word in ipairs(entry[2]) do table.insert(i <= 2000 and words or further, word) end
      if #further > 0 then words[#words + 1], words[#words + 2] = 'further-fields', cjson.encode(further) end
      local added = redis.pcall('XADD', key .. '\(MessageLimits.tooLongSuffix)', '*', unpack(words))
      if is_wrong_type(added) then return wrong_type(key .. '\(MessageLimits.tooLongSuffix)') end
      local is_forbidden = added.err and (added.err:find('permission') or added.err:find("can't access"))
      if added.err and not is_forbidden then return added end
    end
    local at, done = 6, 0
    local function failed(reply) return done == 0 and reply or {done, reply} end
    for i = 2, #KEYS do
      local last = at + tonumber(ARGV[at])
      local added = redis.pcall('XADD', KEYS[i], '*', unpack(ARGV, at + 1, last))
      if added.err then return failed(is_wrong_type(added) and wrong_type(KEYS[i]) or added) end
      at, done = last + 1, done + 1
    end
    -- Delete first: a deleted entry is not handed out again, even if it stays pending.
    local deleted = redis.pcall('XDEL', key, id)
    if type(deleted) == 'table' then return failed(deleted) end
    local acknowledged = redis.pcall('XACK', key, group, id)
    if type(acknowledged) == 'table' then return failed(acknowledged) end
    return 1
    """)
}

extension RedisCommand {
  /// Publishes messages and removes the one they were made from, if its delivery is still held.
  /// - Parameter mayBeCut: whether the message may have been cut. If it was, the full entry is kept
  ///   in `NAME-too-long`, if the user may write there.
  static func settle(
    _ receipt: RedisReceipt, of stream: String, group: String, mayBeCut: Bool,
    publishing publications: [(message: Message, stream: String)]
  ) -> RedisCommand {
    var command = RedisCommand(
      .settle, keys: [stream] + publications.map(\.stream), [group] + receipt.words + [mayBeCut ? "1" : "0"],
      size: publications.reduce(512) { $0 + $1.message.body.count })
    for (message, _) in publications {
      command.append("\(message.countOfRedisFields)")
      command.append(message)
    }
    return command
  }
}
