@testable import Caching
import TestSupport
import Testing

extension CacheEntry {
  /// An entry for `url`, whose server sent `fields` at `time` (milliseconds since 1970).
  static func of(
    _ url: String, _ fields: [String: [String]] = ["cache-control": ["max-age=60"]],
    at time: Int64 = FreshnessTests.now, contentType: String? = "image/jpeg"
  ) throws -> CacheEntry {
    let reuse = try #require(
      Reuse(of: [Response(status: 200, fields: fields)], requested: time, received: time))
    let digest = try #require(URLDigest(url))
    return CacheEntry(
      url: digest, source: digest, policy: 7,
      file: CachedFile(
        name: String(repeating: "ab", count: 32) + ".jpg", size: 7_333, format: "jpeg",
        contentType: contentType, numbers: SIMD4(320, 240, 0, .max)),
      reuse: reuse)
  }
}
