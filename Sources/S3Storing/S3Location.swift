internal import Supporting

/// A place in an object store: `s3://BUCKET[/PREFIX][?region=REGION][&endpoint=URL][&path-style=true|false]`.
struct S3Location: Equatable, Sendable {
  let bucket: String
  /// The start of the key of each object: empty, or ending with `/`.
  let prefix: String
  /// The region that requests are signed for.
  private(set) var region: String
  /// The files in which the region was looked up, if neither the place nor a variable names it.
  let regionFiles: [String]
  /// The endpoint in the place, without a path. Nil for AWS's own endpoint in `region`.
  private let givenEndpoint: ServiceURL?
  /// Whether the bucket is in the path instead of the host name.
  let isPathStyle: Bool

  /// May block on the disk.
  /// - Parameter environment: that of the process. If `place` does not name the region, `AWS_REGION` counts,
  ///   then `AWS_DEFAULT_REGION`, then the profile in the shared files.
  init(_ place: String, environment: [String: String]) throws(S3LocationError) {
    let parts = try S3PlaceText(place)
    try S3BucketName.check(parts.bucket)
    let endpoint = try parts.parameters["endpoint"].map { (text) throws(S3LocationError) in
      try S3Endpoint.parse(text, bucket: parts.bucket)
    }
    bucket = parts.bucket
    prefix = parts.prefix
    (region, regionFiles) = try Self.region(parts.parameters["region"], of: endpoint, environment)
    // Not kept if it is AWS's own, because a redirect to another region has to change the host.
    givenEndpoint = endpoint == AWSHost.url(of: "s3", in: region) ? nil : endpoint
    // Only AWS is sure to have a name for each bucket. Its certificate covers only buckets without dots.
    let isOfAWS = endpoint.map { AWSHost.isOwn($0.host) } ?? true
    switch parts.parameters["path-style"] {
    case nil: isPathStyle = !isOfAWS || parts.bucket.contains(".")
    case "true": isPathStyle = true
    case "false":
      if let endpoint, IPAddress(endpoint.host) != nil { throw .bucketBeforeAddress(host: endpoint.host) }
      isPathStyle = false
    case .some(let other): throw .pathStyle(other)
    }
  }

  /// The server that requests go to, without the bucket.
  var endpoint: ServiceURL { givenEndpoint ?? AWSHost.url(of: "s3", in: region) }

  /// Whether the store is AWS itself. Other stores do not know all of its headers.
  var isAWS: Bool { AWSHost.isOwn(endpoint.host) }

  /// A warning for the operator at the start. Nil if all is well.
  var warning: String? {
    if endpoint.isSecure || endpoint.isLoopback { return nil }
    return
      "\(endpoint.server) is not encrypted: whoever is on the way can read and replace the media; if that is not your own network, write endpoint=https://…"
  }

  /// - Parameter name: the name of a file in the store.
  func key(of name: String) -> String { prefix + name }

  /// - Parameters:
  ///   - key: the key of an object. Empty for the bucket itself.
  ///   - query: percent-encoded, without `?`.
  func url(forKey key: String, query: String = "") -> ServiceURL {
    var url = endpoint
    if !isPathStyle { url.host = "\(bucket).\(url.host)" }
    let path = (isPathStyle ? "\(bucket)/\(key)" : key).utf8.percentEncoded(keeping: "/")
    url.target = "/\(path)\(query.isEmpty ? "" : "?\(query)")"
    return url
  }

  /// The start of the URL of every file. Nil for services other than AWS, because their endpoint is often not
  /// the one that devices reach.
  var publicURL: String? { isAWS ? url(forKey: prefix).text : nil }

  /// The same place in the region that the server has named.
  func inRegion(_ region: String) -> S3Location {
    var location = self
    location.region = region
    return location
  }

  private static func region(
    _ given: String?, of endpoint: ServiceURL?, _ environment: [String: String]
  ) throws(S3LocationError) -> (String, files: [String]) {
    let environment = environment.filter { !$0.value.isEmpty }
    var region =
      given ?? endpoint.flatMap(S3Endpoint.region) ?? environment["AWS_REGION"]
      ?? environment["AWS_DEFAULT_REGION"]
    var files: [String] = []
    if region == nil {
      let shared = SharedFiles(environment)
      // If the files cannot be read, the lookup of the credentials reports it.
      let profile = try? shared.read()
      region = profile?.config["region"] ?? profile?.credentials["region"]
      files = shared.paths
    }
    guard let region else { throw .regionMissing(isAWS: endpoint == nil) }
    // It becomes a part of a host name and of the signature.
    let isRight = region.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
    guard isRight, region.utf8.count <= 63 else { throw .region(region.printable) }
    return (region, files)
  }
}
