/// What a `MockAPNs` received and answered.
package struct APNsLedger: Sendable {
  package struct Entry: Sendable, Equatable {
    package let device: String
    /// How often APNs received the push, how often it answered, and how often with 200.
    package internal(set) var received = 0
    package internal(set) var answered = 0
    package internal(set) var accepted = 0
    package internal(set) var lastReason: APNsReason?
    package internal(set) var body: [UInt8] = []
  }

  /// Keyed by apns-id.
  package internal(set) var entries: [String: Entry] = [:]
  /// The apns-ids in the order in which their pushes were complete.
  package internal(set) var arrivals: [String] = []
  /// The apns-ids that each device got, in order.
  package internal(set) var orders: [String: [String]] = [:]
  package internal(set) var connections = 0
  package internal(set) var openConnections = 0
  package internal(set) var reasons: [APNsReason: Int] = [:]
  package internal(set) var accepted = 0
  package internal(set) var mostStreams = 0
  /// Streams over the limit, which got REFUSED_STREAM.
  package internal(set) var refused = 0
  /// Pushes on streams above the last one of a GOAWAY: APNs did not process them.
  package internal(set) var unprocessed = 0
  package internal(set) var goAways = 0
  /// Frames from clients.
  package internal(set) var resets = 0
  package internal(set) var pings = 0
  /// Different provider tokens that were accepted.
  package internal(set) var tokens = 0

  /// Pushes that were received more often than they were answered. Only these may be sent again.
  package var uncertain: Int { entries.values.count { $0.received > $0.answered } }
  /// Pushes that were accepted more than once.
  package var repeated: Int { entries.values.count { $0.accepted > 1 } }

  mutating func receive(_ request: APNsRequest, body: [UInt8]) {
    let id = request.id
    entries[id, default: Entry(device: request.device)].received += 1
    if !body.isEmpty { entries[id]?.body = body }
    arrivals.append(id)
    orders[request.device, default: []].append(id)
  }

  mutating func answer(_ request: APNsRequest, _ reason: APNsReason?) {
    if let reason { reasons[reason, default: 0] += 1 } else { accepted += 1 }
    guard let index = entries.index(forKey: request.id) else { return }
    entries.values[index].answered += 1
    entries.values[index].lastReason = reason
    if reason == nil { entries.values[index].accepted += 1 }
  }
}
