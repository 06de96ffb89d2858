extension RedisScript {
  /// Returns `has` when the entry is there, `forgets` when the stream, or one that has taken its place, has never
  /// had it, and `lacks` otherwise.
  static let forgets = RedisScript(
    """
    local key, id = KEYS[1], ARGV[1]
    -- It removes nothing: a replica, which may lack what its primary has, does not take it.
    redis.call('XDEL', key, '0-0')
    local stream = redis.pcall('XINFO', 'STREAM', key)
    if stream.err then return string.find(stream.err, 'no such key', 1, true) and 'forgets' or stream end
    if redis.call('XRANGE', key, id, id)[1] then return 'has' end
    local function padded(id)
      return (string.gsub(id, '%d+', function(number) return string.rep('0', 20 - #number) .. number end))
    end
    for i = 1, #stream, 2 do
      if stream[i] == 'max-deleted-entry-id' and padded(stream[i + 1]) < padded(id) then return 'forgets' end
    end
    return 'lacks'
    """)

  static let oldest = RedisScript(
    """
    local oldest = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
    return oldest and oldest[1]
    """)
}

extension RedisCommand {
  /// Asks what Redis knows of an entry. One that it `forgets` was lost, as without its disk, or by `FLUSHALL`: it is
  /// not there, and nothing as new as it was deleted, as each one is that is settled. One that it `lacks` was
  /// settled, unless something newer was settled after the loss.
  static func forgets(_ entry: String, of stream: String) -> RedisCommand {
    RedisCommand(.forgets, keys: [stream], [entry])
  }

  /// Returns the id of the oldest entry, or nothing. The entry itself may be of any length, and stays with Redis.
  static func oldest(of stream: String) -> RedisCommand { RedisCommand(.oldest, keys: [stream]) }
}
