internal import Notifications

/// The rule that removes old media from a bucket
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketLifecycleConfiguration.html). S3 does not
/// record when an object was last read, so the rule goes by the time of its last PUT. The store renews
/// old objects that results still name.
enum LifecycleRule {
  /// The age in days from which an object is renewed when a result names it.
  static let renewalDays = 7
  /// The shortest time after which objects may be removed, in days. Each object stays for half of it
  /// after the last result that names it.
  static let leastDays = 2 * renewalDays

  /// The configuration that `aws s3api put-bucket-lifecycle-configuration` takes.
  /// - Parameters:
  ///   - prefix: the start of the keys; empty for the whole bucket.
  ///   - days: the time from the last PUT until an object is removed.
  static func configuration(prefix: String, days: Int) -> String {
    var writer = JSONWriter()
    writer.object {
      $0.name("Rules")
      $0.array {
        $0.object {
          $0.member("ID", "push-enricher")
          $0.name("Filter")
          $0.object { $0.member("Prefix", prefix) }
          $0.member("Status", "Enabled")
          $0.name("Expiration")
          $0.object { $0.member("Days", days) }
        }
      }
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
