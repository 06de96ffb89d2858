import Supporting
import Testing

@testable import S3Storing

@Suite("wrong places in S3")
struct S3LocationErrorTests {
  @Test(
    "each says what is wrong",
    arguments: [
      ("S3://media", .scheme), ("s3:media", .scheme),
      ("s3://KEY:SESAME@media", .notOnlyABucket), ("s3://KEY:SES/AME@media", .notOnlyABucket),
      ("s3://media:9000/a", .notOnlyABucket),
      ("s3://media//a", .prefix("/a")), ("s3://media/a/../b", .prefix("a/../b")),
      ("s3://media/./", .prefix("./")),
      ("s3://media/a b", .prefix("a b")), ("s3://media/a%20b", .prefix("a%20b")),
      ("s3://media/\u{202E}", .prefix("\\u{202E}")),
      ("s3://media/a#b", .prefix("a#b")),
      ("s3://media/\(String(repeating: "a", count: 901))", .prefix(String(repeating: "a", count: 901))),
      ("s3://media?Region=a", .unknownParameter("Region")),
      ("s3://media?secret=SESAME", .unknownParameter("secret")),
      ("s3://media?region=a&region=a", .repeatedParameter("region")),
      ("s3://media?region", .unusableParameter("region")),
      ("s3://media?region=", .unusableParameter("region")),
      ("s3://media?region=%zz", .unusableParameter("region")),
      ("s3://media?region=%ff", .unusableParameter("region")),
      ("s3://media?region=eu/west", .region("eu/west")), ("s3://media?region=a.b", .region("a.b")),
      ("s3://media", .regionMissing(isAWS: true)),
      ("s3://media?endpoint=http://minio", .regionMissing(isAWS: false)),
      ("s3://media?region=a&path-style=yes", .pathStyle("yes")),
      (
        "s3://media?region=a&path-style=false&endpoint=http://127.0.0.1",
        .bucketBeforeAddress(host: "127.0.0.1")
      ),
      ("s3://media?endpoint=https://KEY:SESAME@minio", .loginInEndpoint),
      ("s3://media?endpoint=https://KEY:SES/AME@minio", .loginInEndpoint),
    ] as [(String, S3LocationError)])
  func errors(_ place: String, _ error: S3LocationError) {
    #expect(throws: error) { try S3Location(place, environment: [:]) }
    #expect(!error.description.contains("SESAME"))
  }

  @Test(
    "names of buckets",
    arguments: [
      ("", "it has 3 to 63 characters"), ("ab", "it has 3 to 63 characters"),
      (String(repeating: "a", count: 64), "it has 3 to 63 characters"),
      ("Media", "it has only lower-case letters, digits, dots and hyphens"),
      ("me_dia", "it has only lower-case letters, digits, dots and hyphens"),
      ("médias", "it has only lower-case letters, digits, dots and hyphens"),
      ("-media", "it begins and ends with a letter or a digit"),
      ("media.", "it begins and ends with a letter or a digit"),
      ("me..dia", "it has no two dots in a row"),
      ("192.168.5.4", "it is not an IP address: a server's address belongs in endpoint="),
      ("xn--media", "it does not start with xn--"),
      ("amzn-s3-demo-a", "it does not start with amzn-s3-demo-"),
      ("media--use1-az4--x-s3", "it does not end with --x-s3: only a general purpose bucket can be used"),
      ("media.mrap", "it does not end with .mrap: only a general purpose bucket can be used"),
    ])
  func buckets(_ name: String, _ rule: String) {
    #expect(throws: S3LocationError.bucket(name, rule: rule)) {
      try S3Location("s3://\(name)?region=a", environment: [:])
    }
  }

  @Test("the alias of an access point stands for a bucket")
  func alias() throws {
    _ = try S3Location("s3://media-xyz-s3alias?region=eu-west-1", environment: [:])
  }

  @Test(
    "endpoints",
    arguments: [
      ("minio:9000", "it starts with https:// or http://"),
      ("ftp://minio", "it starts with https:// or http://"),
      (
        "https://abc.r2.cloudflarestorage.com/media",
        "it has no path and no query, and the bucket is named in s3://BUCKET only"
      ),
      ("https://minio?a", "it has no path and no query, and the bucket is named in s3://BUCKET only"),
      ("https://minio#a", "what follows its host is percent-encoded, without #"),
      ("https://minio:0", "its port is a number from 1 to 65535"),
      ("https://minio:", "its port is a number from 1 to 65535"),
      ("https://minio:65536", "its port is a number from 1 to 65535"),
      ("https://minio:+1", "its port is a number from 1 to 65535"),
      ("https://", "its host is a name or an address, one of IPv6 in brackets, like https://[::1]:9000"),
      (
        "https://mi nio", "its host is a name or an address, one of IPv6 in brackets, like https://[::1]:9000"
      ),
      ("https://::1", "its host is a name or an address, one of IPv6 in brackets, like https://[::1]:9000"),
      (
        "https://[minio]",
        "its host is a name or an address, one of IPv6 in brackets, like https://[::1]:9000"
      ),
      (
        "https://minio.", "its host is a name or an address, one of IPv6 in brackets, like https://[::1]:9000"
      ),
      (
        "https://media.s3.eu-west-1.amazonaws.com",
        "its host does not begin with the bucket, which is put there if need be"
      ),
      (
        "https://media.storage.googleapis.com",
        "its host does not begin with the bucket, which is put there if need be"
      ),
    ])
  func endpoints(_ text: String, _ rule: String) {
    let encoded = text.utf8.map {
      $0 == 0x23 || $0 == 0x3F || $0 == 0x20 ? "%" + String($0, radix: 16) : String(Unicode.Scalar($0))
    }.joined()
    #expect(throws: S3LocationError.endpoint(text, rule: rule)) {
      try S3Location("s3://media?region=a&endpoint=\(encoded)", environment: [:])
    }
  }

  @Test("each error says what would be right")
  func advice() {
    let errors: [S3LocationError] = [
      .scheme, .notOnlyABucket, .prefix("a b"), .unknownParameter("x"), .repeatedParameter("region"),
      .unusableParameter("region"), .region("a b"), .regionMissing(isAWS: true), .regionMissing(isAWS: false),
      .pathStyle("yes"), .bucketBeforeAddress(host: "::1"), .loginInEndpoint,
    ]
    let advice = [
      "is written s3://BUCKET", "endpoint=https://HOST:PORT", "letters, digits and",
      "the parameters are endpoint",
      "write it once",
      "region=VALUE", "like eu-central-1", "or region in the profile", "&region=us-east-1", "true or false",
      "leave path-style out", "no user and no password",
    ]
    for (error, part) in zip(errors, advice) { #expect(error.description.contains(part)) }
  }
}
