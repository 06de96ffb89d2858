internal import Supporting

/// The server of an object store.
enum S3Endpoint {
  /// Domains whose hosts name their region: `s3.REGION.DOMAIN`.
  private static let domainsWithRegion = AWSHost.domains + ["backblazeb2.com", "scw.cloud", "wasabisys.com"]
  /// Services whose only region is called `auto`.
  private static let domainsWithoutRegion = ["r2.cloudflarestorage.com", "storage.googleapis.com"]

  /// The region that the host names.
  static func region(of endpoint: ServiceURL) -> String? {
    let host = endpoint.host
    if domainsWithoutRegion.contains(where: { host == $0 || host.hasSuffix(".\($0)") }) { return "auto" }
    guard host.hasPrefix("s3."), let domain = domainsWithRegion.first(where: { host.hasSuffix(".\($0)") })
    else { return nil }
    let region = host.dropFirst(3).dropLast(domain.utf8.count + 1)
    return region.isEmpty || region.contains(".") ? nil : String(region)
  }

  /// Parses `http[s]://HOST[:PORT][/]`.
  static func parse(_ text: String, bucket: String) throws(S3LocationError) -> ServiceURL {
    // May be a login, so no error may repeat it.
    if text.utf8.contains(UInt8(ascii: "@")) { throw .loginInEndpoint }
    do throws(ServiceURLFault) {
      let url = try ServiceURL(parsing: text)
      guard url.target == "/" else {
        throw ServiceURLFault(
          rule: "it has no path and no query, and the bucket is named in s3://BUCKET only")
      }
      let isDoubled = domainsWithoutRegion.contains { url.host.hasPrefix("\(bucket).\($0)") }
      guard !isDoubled, !url.host.hasPrefix("\(bucket).s3.") else {
        throw ServiceURLFault(rule: "its host does not begin with the bucket, which is put there if need be")
      }
      return url
    } catch {
      throw .endpoint(text.printable, rule: error.rule)
    }
  }
}
