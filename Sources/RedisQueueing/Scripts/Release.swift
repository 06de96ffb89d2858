internal import Queueing

extension RedisScript {
  /// Returns the places, from 1, of the deliveries that were held.
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

extension RedisCommand {
  /// Frees the messages of deliveries that are still held. Their hand-out is not counted.
  static func release(_ receipts: [RedisReceipt], of stream: String, group: String) -> RedisCommand {
    RedisCommand(.release, keys: [stream], [group] + receipts.flatMap(\.words))
  }
}
