package import Storing

extension StoreKind {
  /// Buckets: `s3://BUCKET/PREFIX?region=REGION`.
  /// - Parameter environment: that of the process. It has the credentials, or says where they are.
  package static func s3(_ environment: [String: String]) -> StoreKind {
    StoreKind(prefix: "s3://") { (place, spool) throws(StoreError) in
      let location = try Self.location(place, environment)
      let spool = SpoolPlace(spool, environment)
      let needs = CredentialChain.needs(environment: environment, region: location.region)
      var place = StorePlace(spoolDirectory: spool.path) { (settings) throws(StoreError) in
        let client = HTTPClient(connections: connections, certificateFile: settings.certificateFile)
        let credentials = CredentialChain(
          environment: environment, region: location.region, client: client, warn: settings.warn)
        let exchange = S3Exchange(location, client, credentials, warn: settings.warn)
        return try S3Store(spool: spool, settings, exchange)
      }
      place.makesSpoolDirectory = !spool.isChosen
      place.files = needs.files + location.regionFiles
      place.connectPorts = Set([needs.server?.port, location.endpoint.port].compactMap(\.self))
      // Measured with this many uploads over TLS at once.
      place.memory = 1_200_000
      place.connections = connections
      place.publicURL = location.publicURL
      if location.publicURL == nil {
        place.missingURLWarning =
          "results name \(location.url(forKey: location.prefix).text)…, which devices can fetch only if they reach this host and the objects are public: give --public-url"
      }
      place.warnings = [spool.warning, location.warning].compactMap(\.self)
      place.lifecycle = (
        LifecycleRule.leastDays, location.prefix.isEmpty,
        { LifecycleRule.configuration(prefix: location.prefix, days: $0) }
      )
      return place
    }
  }

  private static func location(
    _ place: String, _ environment: [String: String]
  ) throws(StoreError) -> S3Location {
    do throws(S3LocationError) { return try S3Location(place, environment: environment) } catch {
      throw .other("this place cannot be used", advice: "\(error)", extent: .lasting)
    }
  }

  /// Uploads share these. More would not be faster, and each takes memory.
  private static let connections = 14
}
