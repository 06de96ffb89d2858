package import PushQueueing

#if Redis
  internal import RedisQueueing
#endif

extension PushQueueKind {
  /// The kinds in this build.
  package static let builtIn: [PushQueueKind] = [.sqlite, redis]

  #if Redis
    private static let redis = RedisPushQueueURL.kind
  #else
    private static let redis = missing("Redis", ["redis:", "rediss:"], example: "redis://HOST/push-queue")
  #endif
}
