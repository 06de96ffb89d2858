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

  /// Settles deliveries of one group. One script for many costs the server less than one for each. Takes the
  /// group. Then, for each delivery, takes the words of its receipt, `1` if its message may have been cut, and
  /// the number of publications; for each publication, the index of its key, the number of words, and the words.
  ///
  /// For each delivery, returns 1, or 0 if it is no longer held. After an error, returns the number of
  /// publications made before it, and the error. If there were none, returns only the error.
  static let settle = RedisScript(
    """
    \(shorten)
    local key, group, at, ended, results = KEYS[1], ARGV[1], 2, {}, {}
    local function take()
      at = at + 1
      return ARGV[at - 1]
    end
    local function is_wrong_type(added) return added.err and string.sub(added.err, 1, 9) == 'WRONGTYPE' end
    local function wrong_type(key) return redis.error_reply('WRONGTYPE Operation against the key ' .. key) end
    -- Every command is a pcall: an error that ended the script would hide what it has published.
    local function type_error(key)
      local type = redis.pcall('TYPE', key)
      if type.err then return type end
      return type.ok ~= 'none' and type.ok ~= 'stream' and wrong_type(key)
    end
    -- Keeps the full entry if the message was cut, and if the user may do that. Returns an error or nil.
    local function keep_full(id)
      local found = redis.pcall('XRANGE', key, id, id)
      if found.err then return found end
      local entry = found[1]
      if not entry or not select(3, shorten(entry[2])) then return nil end
      local words, further = {}, {}
      for i, word in ipairs(entry[2]) do table.insert(i <= 2000 and words or further, word) end
      if #further > 0 then words[#words + 1], words[#words + 2] = 'further-fields', cjson.encode(further) end
      local added = redis.pcall('XADD', key .. '\(MessageLimits.tooLongSuffix)', '*', unpack(words))
      if is_wrong_type(added) then return wrong_type(key .. '\(MessageLimits.tooLongSuffix)') end
      local is_forbidden = added.err and (added.err:find('permission') or added.err:find("can't access"))
      return added.err and not is_forbidden and added
    end
    -- Returns how many publications were made, and an error or nil.
    local function publish(id, may_be_cut, publications)
      -- If only one entry is added, XADD itself checks the type.
      for i = 1, (may_be_cut or #publications > 1) and #publications or 0 do
        local failed = type_error(publications[i][1])
        if failed then return 0, failed end
      end
      local failed = may_be_cut and keep_full(id)
      if failed then return 0, failed end
      for i, publication in ipairs(publications) do
        local added = redis.pcall('XADD', publication[1], '*', unpack(ARGV, publication[2], publication[3]))
        if added.err then return i - 1, is_wrong_type(added) and wrong_type(publication[1]) or added end
      end
      return #publications
    end
    -- Nobody holds it: somebody has deleted the consumer. Only its process has the message, and may settle it.
    local function is_orphan(id, held) return not held and redis.pcall('XRANGE', key, id, id)[1] end
    local function result(done, failed) return done == 0 and failed or {done, failed} end
    while at <= #ARGV do
      local id, consumer, count, may_be_cut, publications = take(), take(), tonumber(take()), take() == '1', {}
      for i = 1, tonumber(take()) do
        local target, length = KEYS[tonumber(take())], tonumber(take())
        publications[i], at = {target, at, at + length - 1}, at + length
      end
      -- '1' is text: Redis would format a number with 17 digits.
      local found = redis.pcall('XPENDING', key, group, id, id, '1')
      local held = found[1]
      if found.err then
        results[#results + 1] = found
      elseif not (held and held[2] == consumer and held[4] == count) and not is_orphan(id, held) then
        results[#results + 1] = 0
      else
        local done, failed = publish(id, may_be_cut, publications)
        results[#results + 1] = failed and result(done, failed) or 1
        if not failed then ended[#ended + 1] = {id, #results, done} end
      end
    end
    if #ended == 0 then return results end
    local ids = {}
    for i, one in ipairs(ended) do ids[i] = one[1] end
    -- Delete first: a deleted entry is not handed out again, even if it stays pending.
    local answer = redis.pcall('XDEL', key, unpack(ids))
    if type(answer) ~= 'table' then answer = redis.pcall('XACK', key, group, unpack(ids)) end
    if type(answer) == 'table' then
      for _, one in ipairs(ended) do results[one[2]] = result(one[3], answer) end
    end
    return results
    """)
}
