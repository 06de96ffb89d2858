internal import Supporting

/// What is wrong with `s3://…`, and what would be right.
enum S3LocationError: Error, Equatable, CustomStringConvertible {
  case scheme
  /// There is a user, a password or a port before the first slash. They are not repeated here.
  case notOnlyABucket
  case bucket(String, rule: String)
  case prefix(String)
  case unknownParameter(String)
  case repeatedParameter(String)
  /// The value is empty, or is not UTF-8 after decoding.
  case unusableParameter(String)
  case region(String)
  case regionMissing(isAWS: Bool)
  case pathStyle(String)
  case bucketBeforeAddress(host: String)
  case endpoint(String, rule: String)
  case loginInEndpoint

  private static let form = "s3://BUCKET[/PREFIX][?region=REGION][&endpoint=URL][&path-style=true]"
  private static let credentials =
    "credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, from a profile, or from the machine's or the container's role"

  var description: String {
    switch self {
    case .scheme: "an object store is written \(Self.form)"
    case .notOnlyABucket:
      "there is a user, a password or a port before the first / of s3://…: only the name of a bucket goes there; \(Self.credentials), and the address of a server is written endpoint=https://HOST:PORT"
    case .bucket(let name, let rule): "\"\(name)\" is not the name of a bucket: \(rule)"
    case .prefix(let text):
      "the prefix \"\(text)\" cannot be used: it has at most \(S3PlaceText.longestPrefix) letters, digits and characters of -._~!*'()=, and no empty segment, . or .. between its slashes\(text.contains("&") ? "; a ? goes before region=… and other parameters" : "")"
    case .unknownParameter(let name):
      "\"\(name)\" is not a parameter of s3://…: the parameters are \(S3PlaceText.names.joined(separator: ", ")); \(Self.credentials)"
    case .repeatedParameter(let name): "the parameter \(name) appears twice: write it once"
    case .unusableParameter(let name):
      "the parameter \(name) has no value, or one that is not percent-encoded UTF-8: write \(name)=VALUE, with %25 for a %"
    case .region(let name):
      "\"\(name)\" is not a region: it has letters, digits and hyphens, like eu-central-1"
    case .regionMissing(isAWS: true):
      "the region of the bucket is missing: add ?region=eu-central-1, or whichever the bucket is in, or set AWS_REGION, or region in the profile"
    case .regionMissing(isAWS: false):
      "the region is missing: add &region=us-east-1, which most servers without regions take, or set AWS_REGION, or region in the profile"
    case .pathStyle(let text): "path-style=\(text.printable) means nothing: it is true or false"
    case .bucketBeforeAddress(let host):
      "path-style=false puts the bucket before the host, but \(host) is an address: leave path-style out"
    case .endpoint(let text, let rule): "\"\(text)\" is not an endpoint: \(rule)"
    case .loginInEndpoint: "there is an @ in endpoint=…: it has no user and no password; \(Self.credentials)"
    }
  }
}
