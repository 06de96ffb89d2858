extension RedisScript {
  /// Returns 1 when the stream, or one that has taken its place, has never had the entry; 0 otherwise.
  static let forgetsText = """
    local key, id = KEYS[1], ARGV[1]
    -- It removes nothing: a replica, which may lack what its primary has, does not take it.
    redis.call('XDEL', key, '0-0')
    local stream = redis.pcall('XINFO', 'STREAM', key)
    if stream.err then return string.find(stream.err, 'no such key', 1, true) and 1 or 0 end
    if redis.call('XRANGE', key, id, id)[1] then return 0 end
    local function padded(id)
      return (string.gsub(id, '%d+', function(number) return string.rep('0', 20 - #number) .. number end))
    end
    for i = 1, #stream, 2 do
      if stream[i] == 'max-deleted-entry-id' then return padded(stream[i + 1]) < padded(id) and 1 or 0 end
    end
    return 0
    """
}

extension RedisCommand {
  /// Asks whether Redis has lost an entry with all that it knew of it, as without its disk, or after
  /// `FLUSHALL`: it is not there, and nothing as new as it was deleted, as each one is that is settled.
  static func forgets(_ entry: String, of stream: String) -> RedisCommand {
    .script(.forgets, keys: [stream], [Array(entry.utf8)])
  }
}
