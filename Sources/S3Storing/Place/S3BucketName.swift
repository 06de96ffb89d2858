internal import Supporting

/// AWS's rules for names of buckets
/// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html). Other services have the
/// same ones.
enum S3BucketName {
  private static let reservedPrefixes = ["xn--", "sthree-", "amzn-s3-demo-"]
  // -s3alias is not one of them: nobody can choose such a name, but the alias of an access point can
  // stand for a bucket.
  private static let reservedSuffixes = ["--ol-s3", ".mrap", "--x-s3", "--table-s3"]

  static func check(_ name: String) throws(S3LocationError) {
    if let rule = brokenRule(name) { throw .bucket(name.printable, rule: rule) }
  }

  /// Returns the rule that the name breaks, or nil.
  private static func brokenRule(_ name: String) -> String? {
    guard (3...63).contains(name.utf8.count) else { return "it has 3 to 63 characters" }
    guard name.utf8.allSatisfy({ isEnd($0) || ".-".utf8.contains($0) }) else {
      return "it has only lower-case letters, digits, dots and hyphens"
    }
    guard let first = name.utf8.first, let last = name.utf8.last, isEnd(first), isEnd(last) else {
      return "it begins and ends with a letter or a digit"
    }
    if name.contains("..") { return "it has no two dots in a row" }
    if IPAddress(name) != nil { return "it is not an IP address: a server's address belongs in endpoint=" }
    if let prefix = reservedPrefixes.first(where: name.hasPrefix) {
      return "it does not start with \(prefix)"
    }
    if let suffix = reservedSuffixes.first(where: name.hasSuffix) {
      return "it does not end with \(suffix): only a general purpose bucket can be used"
    }
    return nil
  }

  private static func isEnd(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte || byte.isASCIIDigit }
}
