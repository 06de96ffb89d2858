import Enriching
import TestSupport
import Testing

/// Something that is wrong with a bucket, or on the way to it. Whatever it is, the payload goes out
/// unmodified in time, and the line on stderr says what happened and what to do.
struct BucketFailure: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Breaks the server or the variables.
  var prepare: @Sendable (S3Server, inout [String: String]) -> Void = { _, _ in }
  var options: @Sendable (S3Server) -> [String] = { _ in [] }
  var reason = Reason.storeFailed
  /// The value of `--deadline`; nil for the default.
  var deadline: Duration?
  /// Parts of the line on stderr.
  let says: [String]

  static let all = [
    BucketFailure(
      testDescription: "wrong bucket", prepare: { bucket, _ in bucket.change { $0.buckets = ["other"] } },
      says: ["does not exist (404 NoSuchBucket); create it, or name another with --store"]),
    BucketFailure(
      testDescription: "wrong region that is not told",
      prepare: { bucket, _ in bucket.plan(.refuses(.malformed("the region is wrong"))) },
      says: ["is in another region, or at another host (400 AuthorizationHeaderMalformed); name the region"]),
    BucketFailure(
      testDescription: "unknown key", prepare: { $1["AWS_ACCESS_KEY_ID"] = "AKIAOTHER" },
      says: [
        "does not know the access key (403 InvalidAccessKeyId); check the key",
        "; the key comes from the environment",
      ]),
    BucketFailure(
      testDescription: "wrong secret", prepare: { $1["AWS_SECRET_ACCESS_KEY"] = "other" },
      says: ["says that the signature is wrong (403 SignatureDoesNotMatch); check the secret key"]),
    BucketFailure(
      testDescription: "no right to write", prepare: { bucket, _ in bucket.plan(.refuses(.accessDenied)) },
      says: [
        "denies writing (403 AccessDenied); check the name of the bucket, and give the key the rights s3:PutObject and s3:Get"
      ]),
    BucketFailure(
      testDescription: "clock that is never right",
      prepare: { bucket, _ in bucket.plan(.refuses(.requestTimeTooSkewed(0, server: 0))) },
      says: ["does not accept the time of this machine (403 RequestTimeTooSkewed); set its clock"]),
    BucketFailure(
      testDescription: "expired token",
      prepare: { bucket, variables in
        variables["AWS_SESSION_TOKEN"] = "token-of-the-tests"
        bucket.plan(.refuses(.expiredToken("token-of-the-tests")))
      }, says: ["says that the session token has expired or is not valid (400 ExpiredToken); renew"]),
    BucketFailure(
      testDescription: "redirect to another host",
      prepare: { bucket, _ in bucket.plan(.refuses(.temporaryRedirect(to: "https://evil.example/media/a"))) },
      says: [
        "(307 TemporaryRedirect), and redirects to evil.example: redirects to other hosts are not followed; name the region"
      ]
    ),
    BucketFailure(
      testDescription: "503 all the time", prepare: { bucket, _ in bucket.plan(.refuses(.slowDown)) },
      says: ["asks for fewer requests (503 SlowDown); wait"]),
    BucketFailure(
      testDescription: "PUT that hangs", prepare: { bucket, _ in bucket.plan(.hangs) },
      reason: .deadlineExceeded, deadline: .seconds(8), says: late),
    BucketFailure(
      testDescription: "PUT whose body is not taken",
      prepare: { bucket, _ in bucket.plan(.hangsInBody(after: 1_000)) },
      reason: .deadlineExceeded, deadline: .seconds(8), says: late),
    BucketFailure(
      testDescription: "PUT whose body is taken too slowly",
      prepare: { bucket, _ in bucket.plan(.readsSlowly(100)) },
      reason: .deadlineExceeded, deadline: .seconds(8), says: late),
    BucketFailure(
      testDescription: "answer that stops in the middle",
      prepare: { bucket, _ in bucket.plan(.hangsInAnswer) },
      reason: .deadlineExceeded, deadline: .seconds(8), says: late),
    BucketFailure(
      testDescription: "answer cut in the middle", prepare: { bucket, _ in bucket.plan(.cutsAnswer) },
      says: [
        "the bucket media gave no usable answer: 127.0.0.1:", " closed the connection after ",
        " bytes of its answer; if this keeps happening, check the service's log",
      ]),
    BucketFailure(
      testDescription: "nobody listens",
      options: { ["--store", $0.place().replacing(":\($0.port)", with: ":1")] },
      says: [
        "the bucket media gave no usable answer: no connection to 127.0.0.1:1: Connection refused; check"
      ]),
    BucketFailure(
      testDescription: "metadata service that does not answer",
      prepare: {
        $1 = ["AWS_EC2_METADATA_SERVICE_ENDPOINT": $0.endpoint()]
        $0.plan(.hangs)
      },
      says: [
        "nothing can be put into the bucket media",
        "gave no credentials: 127.0.0.1:", " did not answer within 1 s",
        "aws ec2 modify-instance-metadata-options --http-put-response-hop-limit 2",
      ]),
    BucketFailure(
      testDescription: "no credentials", prepare: { $1 = ["AWS_EC2_METADATA_DISABLED": "true"] },
      says: ["there are no credentials for the object store; set AWS_ACCESS_KEY_ID"]),
  ]

  /// The options besides `--store` and those that every test has.
  func allOptions(_ bucket: S3Server) -> [String] {
    options(bucket) + (deadline.map { ["--deadline", "\($0.components.seconds)s"] } ?? [])
  }

  private static let late = [
    "the medium was waiting for the store; check the store, its disk or the network to it"
  ]
}
