extension RedisScript {
  /// Returns 1 when the stream is gone, or has never got as far as the entry; 0 otherwise.
  static let forgetsText = """
    local stream = redis.pcall('XINFO', 'STREAM', KEYS[1])
    if stream.err then return string.find(stream.err, 'no such key', 1, true) and 1 or 0 end
    local last = '0-0'
    for i = 1, #stream, 2 do
      if stream[i] == 'last-generated-id' then last = stream[i + 1] end
    end
    local function padded(id)
      return (string.gsub(id, '%d+', function(number) return string.rep('0', 20 - #number) .. number end))
    end
    return padded(last) < padded(ARGV[1]) and 1 or 0
    """
}

extension RedisCommand {
  /// Asks whether Redis has lost an entry with all that it knew of it, as without its disk, or after
  /// `FLUSHALL`. Then nobody else has settled it, and nobody will.
  static func forgets(_ entry: String, of stream: String) -> RedisCommand {
    .script(.forgets, keys: [stream], [Array(entry.utf8)])
  }
}
