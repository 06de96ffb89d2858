extension RedisScript {
  static let oldestText = """
    local oldest = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
    return oldest and oldest[1]
    """
}

extension RedisCommand {
  /// Returns the id of the oldest entry, or nothing. The entry itself, which may be of any length, stays with
  /// Redis.
  static func oldest(of stream: String) -> RedisCommand { RedisCommand(.oldest, keys: [stream]) }
}
