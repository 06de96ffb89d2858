internal import Queueing

extension RedisScript {
  /// A Lua function for scripts. `shorten(fields)` returns what is handed out of an entry: its body up to
  /// `MessageLimits.maximumBodySize`, and those other fields that fit into `MessageLimits.maximumBatchSize`,
  /// where each counts 64 bytes more than it has. Of an entry that was kept for being too long, it returns
  /// all. Further results: the size of the other fields in bytes, and whether anything was cut.
  static let shorten = """
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
}
