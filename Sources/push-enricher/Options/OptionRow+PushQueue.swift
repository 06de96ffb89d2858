internal import PushQueueing
internal import Serving

/// The options of the push queue, as they were given.
struct PushQueueValues {
  /// A value, and where it was set.
  typealias Given<Value> = (value: Value, origin: String)

  var url: Given<String>?
  var keys: Given<TicketKeys>?
  var limits = PushQueueLimits()
  /// Where one of the limits was set.
  var limitsOrigin: String?
  /// Where devices ask for missed pushes.
  var endpoint: Given<Endpoint>?
  var certificateFile: Given<String>?
  var certificateKeyFile: Given<String>?
}

extension OptionRow {
  /// The options of commands that send to APNs.
  static let pushQueueing: [OptionRow] = [
    pushQueue,
    OptionRow(
      "push-queue-key", "file",
      "File with the key of the tickets by which devices ask for what they missed: 64 hexadecimal digits."
    ) { $2.pushQueue.keys = (try TicketKeys(path: $0), $1) },
    OptionRow(
      "push-queue-keep", "n", "Pushes to keep of each device.", default: "100"
    ) { ($2.pushQueue.limits.keep, $2.pushQueue.limitsOrigin) = (try Parse.number($0, in: 1...1_000), $1) },
    OptionRow(
      "push-queue-size", "size", "Room for all pushes that are kept; the oldest go first.", default: "1GB"
    ) {
      ($2.pushQueue.limits.bytes, $2.pushQueue.limitsOrigin) = (Int64(try Parse.pushQueueSize($0)), $1)
    },
    OptionRow(
      "device-api", "address:port",
      "Where devices ask for what they missed, and report what they have seen: 127.0.0.1:8090."
    ) { $2.pushQueue.endpoint = (try Endpoint($0), $1) },
    OptionRow(
      "device-api-certificate", "pem",
      "Certificate and chain for --device-api. Without one, it is served on loopback only, for a proxy."
    ) { $2.pushQueue.certificateFile = ($0, $1) },
    OptionRow(
      "device-api-key", "pem", "Key of that certificate.", default: "the file of the certificate"
    ) { $2.pushQueue.certificateKeyFile = ($0, $1) },
  ]

  static let pushQueue = OptionRow(
    "push-queue", "url",
    "Where pushes get their positions and are kept, so that devices can ask for what they missed: sqlite:PATH or redis://HOST/NAME."
  ) { $2.pushQueue.url = ($0, $1) }
}

extension Parse {
  /// Accepts a size with room for some pushes.
  fileprivate static func pushQueueSize(_ text: String) throws(CommandError) -> Int {
    let bytes = try bytes(text)
    guard bytes >= 1_000_000 else {
      throw CommandError("'\(text)' is too small for a push queue: write 1MB or more")
    }
    return bytes
  }
}
