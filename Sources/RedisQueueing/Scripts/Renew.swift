internal import Queueing
internal import Supporting

extension RedisScript {
  /// Returns the places, from 1, of the deliveries that were held.
  static let renewText = """
    local key, group, idle, uncounted, renewed = KEYS[1], ARGV[1], ARGV[2], ARGV[3], {}
    for i = 4, #ARGV, 3 do
      local held = redis.call('XPENDING', key, group, ARGV[i], ARGV[i], 1)[1]
      if held and held[2] == ARGV[i + 1] and held[4] == tonumber(ARGV[i + 2]) then
        redis.call('XCLAIM', key, group, held[2], 0, held[1], 'IDLE', idle,
          'RETRYCOUNT', math.max(held[4] - uncounted, 0), 'JUSTID')
        renewed[#renewed + 1] = (i - 1) / 3
      end
    end
    return renewed
    """
}

extension RedisCommand {
  /// Starts the leases of deliveries anew, where they are held still.
  /// - Parameters:
  ///   - idleTime: how much of `QueueLease.duration` counts as over from now on.
  ///   - isRelease: whether their hand-out is not to be counted.
  static func renew(
    _ receipts: [RedisReceipt], of stream: String, group: String, idleTime: Duration,
    isRelease: Bool
  ) -> RedisCommand {
    RedisCommand(.renew, keys: [stream]) { words in
      words.append(group)
      words.append(idleTime.milliseconds)
      words.append(isRelease ? "1" : "0")
      for receipt in receipts { receipt.write(to: &words) }
    }
  }
}
