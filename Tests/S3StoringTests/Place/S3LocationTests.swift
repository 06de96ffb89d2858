import Glibc
import TestSupport
import Testing

@testable import S3Storing

@Suite("places in S3")
struct S3LocationTests {
  @Test(
    "where an object is, and what its public URL starts with",
    arguments: [
      (
        "s3://media-1?region=eu-central-1", "https://media-1.s3.eu-central-1.amazonaws.com/a.png",
        "https://media-1.s3.eu-central-1.amazonaws.com/"
      ),
      (
        "s3://media-1/push/2026?region=cn-north-1",
        "https://media-1.s3.cn-north-1.amazonaws.com.cn/push/2026/a.png",
        "https://media-1.s3.cn-north-1.amazonaws.com.cn/push/2026/"
      ),
      (
        "s3://a.b.example/?region=us-east-1", "https://s3.us-east-1.amazonaws.com/a.b.example/a.png",
        "https://s3.us-east-1.amazonaws.com/a.b.example/"
      ),
      (
        "s3://media/d=1/?region=us-east-1&path-style=true",
        "https://s3.us-east-1.amazonaws.com/media/d%3D1/a.png",
        "https://s3.us-east-1.amazonaws.com/media/d%3D1/"
      ),
      (
        "s3://media?endpoint=https://s3.us-west-2.amazonaws.com",
        "https://media.s3.us-west-2.amazonaws.com/a.png",
        "https://media.s3.us-west-2.amazonaws.com/"
      ),
      (
        "s3://media?endpoint=https%3A%2F%2Fabc.r2.cloudflarestorage.com%2F",
        "https://abc.r2.cloudflarestorage.com/media/a.png", nil
      ),
      (
        "s3://media?region=auto&endpoint=HTTPS://Storage.GoogleAPIs.com&path-style=false",
        "https://media.storage.googleapis.com/a.png", nil
      ),
      ("s3://media?region=x&endpoint=http://[::1]:9000", "http://[::1]:9000/media/a.png", nil),
      ("s3://media?region=x&endpoint=http://minio", "http://minio/media/a.png", nil),
    ] as [(String, String, String?)])
  func urls(_ place: String, _ url: String, _ publicURL: String?) throws {
    let location = try S3Location(place, environment: [:])
    #expect(location.url(forKey: location.key(of: "a.png")).text == url)
    #expect(location.publicURL == publicURL)
    #expect(location.isAWS == (publicURL != nil))
  }

  @Test(
    "the region comes from the place, from the endpoint, or from the environment, in this order",
    arguments: [
      ("s3://media?region=eu-west-1&endpoint=https://s3.us-west-2.amazonaws.com", "eu-west-1"),
      ("s3://media?endpoint=https://s3.us-west-2.amazonaws.com", "us-west-2"),
      ("s3://media?endpoint=https://s3.us-west-004.backblazeb2.com", "us-west-004"),
      ("s3://media?endpoint=https://abc.eu.r2.cloudflarestorage.com", "auto"),
      ("s3://media?endpoint=https://storage.googleapis.com", "auto"),
      ("s3://media?endpoint=https://s3.example.org", "env-1"), ("s3://media", "env-1"),
    ])
  func regions(_ place: String, _ region: String) throws {
    let environment = ["AWS_REGION": "env-1", "AWS_DEFAULT_REGION": "env-2"]
    #expect(try S3Location(place, environment: environment).region == region)
  }

  @Test("the region of the profile is the last one that counts, that of the configuration first")
  func profile() async throws {
    try await withTemporaryDirectory { folder in
      try #require(unsafe mkdir(folder.path(of: ".aws"), 0o700) == 0)
      let files = [
        try folder.write(
          Array("[default]\nregion=keys-1\n[work]\nregion=keys-2\n".utf8), to: ".aws/credentials"),
        try folder.write(Array("[profile work]\nregion = work-1\n".utf8), to: ".aws/config"),
      ]
      for (more, region, isOfProfile) in [
        ([:], "keys-1", true), (["AWS_PROFILE": "work"], "work-1", true),
        (["AWS_REGION": ""], "keys-1", true),
        (["AWS_REGION": "", "AWS_DEFAULT_REGION": "env-2"], "env-2", false),
      ] {
        let environment = ["HOME": folder.path].merging(more) { $1 }
        let location = try S3Location("s3://media", environment: environment)
        #expect(location.region == region)
        #expect(location.regionFiles == (isOfProfile ? files : []))
      }
      let none = ["HOME": folder.path, "AWS_PROFILE": "none"]
      #expect(throws: S3LocationError.regionMissing(isAWS: true)) {
        try S3Location("s3://media", environment: none)
      }
    }
  }

  @Test("another region changes the host of AWS, and no other")
  func redirected() throws {
    for place in ["s3://media?region=us-east-1", "s3://media?endpoint=https://s3.us-east-1.amazonaws.com"] {
      let moved = try S3Location(place, environment: [:]).inRegion("cn-north-1")
      #expect(moved.url(forKey: "").text == "https://media.s3.cn-north-1.amazonaws.com.cn/")
    }
    let other = try S3Location("s3://media?region=a&endpoint=http://minio:9000", environment: [:]).inRegion(
      "b")
    #expect(other.region == "b")
    #expect(other.url(forKey: "", query: "location").text == "http://minio:9000/media/?location")
  }

  @Test("keys are percent-encoded once")
  func keys() throws {
    let location = try S3Location("s3://media?region=us-east-1", environment: [:])
    #expect(location.url(forKey: "a b/ü+%.png").target == "/a%20b/%C3%BC%2B%25.png")
  }

  @Test(
    "http beyond this machine is warned of",
    arguments: [
      ("https://minio", false), ("http://127.0.0.1:9000", false), ("http://[::1]", false),
      ("http://localhost", false), ("http://s3.localhost", false), ("http://minio:9000", true),
      ("http://10.0.0.1", true),
    ])
  func unencrypted(_ endpoint: String, _ isWarned: Bool) throws {
    let warning = try S3Location("s3://media?region=a&endpoint=\(endpoint)", environment: [:]).warning
    #expect((warning?.hasPrefix("\(endpoint) is not encrypted: ") == true) == isWarned)
    #expect((warning != nil) == isWarned)
  }
}
