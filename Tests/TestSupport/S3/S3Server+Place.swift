/// The way to a server, for the program under test.
extension S3Server {
  /// A value of `--store`.
  /// - Parameter path: the bucket, and perhaps a prefix.
  package func place(_ path: String = "media", region: String = "eu-central-1") -> String {
    "s3://\(path)?region=\(region)&endpoint=\(endpoint())"
  }

  /// Variables with the key that it accepts.
  package static let environment = [
    "AWS_ACCESS_KEY_ID": "AKIATEST", "AWS_SECRET_ACCESS_KEY": "secret+of/the=tests",
  ]

  /// The object that a worker puts when it starts, and when it waits for the store.
  package static let trialName = ".push-enricher-test"

  /// The names of the media in the bucket.
  package var media: [String] { keys().filter { !$0.hasSuffix(Self.trialName) } }

  /// The requests for media so far.
  package var mediaQuestions: [Question] { questions.filter { !$0.key.hasSuffix(Self.trialName) } }
}
