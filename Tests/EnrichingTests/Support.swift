import Enriching
import Fetching
import Notifications
import S3Storing
import Storing
import TestSupport

extension EnrichmentSettings {
  /// Settings for tests: loopback servers can be reached, and memory is not limited.
  static func reaching(_ ports: Int..., store: TemporaryDirectory) throws -> EnrichmentSettings {
    var settings = EnrichmentSettings()
    settings.fetching.allowsHTTP = true
    settings.fetching.allowedPorts = Set(ports)
    settings.fetching.addresses = AddressPolicy(allowing: [try AddressRange("127.0.0.0/8")])
    settings.store = store.path
    settings.publicURL = "https://cdn.example"
    settings.memory = .max
    return settings
  }
}

extension EnrichmentSettings {
  /// Stores media in a bucket.
  mutating func store(in bucket: S3Server, spool: TemporaryDirectory) {
    store = bucket.place()
    self.spool = spool.path
    stores = [.s3(S3Server.environment)] + stores
  }
}

/// A payload that names these media.
func payload(naming urls: String...) throws -> PushMessage {
  let list = urls.map { #""\#($0)""# }.joined(separator: ",")
  return try PushMessage(Array(#"{"aps":{"alert":"Hello","mutable-content":1},"media":[\#(list)]}"#.utf8))
}

/// The JSON of a report.
func json(_ report: Report) throws -> JSONValue {
  var writer = JSONWriter()
  writer.write(report)
  return try JSONDocument(writer.bytes).root
}
