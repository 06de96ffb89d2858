internal import Notifications
internal import Queueing
internal import Supporting

/// A push in the form that APNs takes, made from a message
/// (developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns).
struct PushRequest: Sendable, Equatable {
  /// `Message.id`.
  let message: String
  /// Lower-case hexadecimal.
  let device: String
  let topic: String
  let type: PushType
  /// The `apns-id`. Nil if there was no memory to make one. APNs then makes one up.
  let id: String?
  /// `apns-topic`, `apns-push-type`, `apns-id`, `apns-priority`, `apns-expiration`, `apns-collapse-id`, in
  /// this order, if they are set.
  var headers: [Header]
  var body: [UInt8]
  /// When the push must no longer be sent, in seconds since 1970. Nil if APNs decides, or if it is tried
  /// only once.
  let expiration: Int?
  /// The app's own name for the device (header `device-id`). Pushes that have it are numbered.
  let deviceID: String?
  let markRoom: MarkRoom

  /// - Parameters:
  ///   - topic: the topic of messages without one.
  ///   - now: in seconds since 1970.
  ///   - isNumbered: whether pushes get positions. One that expired while it waited may have a position, whose outcome
  ///     has to be noted, so `PushPool` rejects it, not this.
  init(
    _ message: Message, topic: String?, now: Int, isNumbered: Bool = false
  ) throws(Rejection) {
    if let fault = message.fault {
      guard message.header(Message.truncatedHeadersName) == nil else {
        throw Rejection("header-invalid", detail: "its headers were too long and have been cut: send fewer")
      }
      throw Rejection("record-invalid", detail: fault)
    }
    // A queue that can put messages aside does not deliver them before their time.
    if let due = try message.sendAt, due > Int64(now + 1) * 1_000 {
      throw Rejection(
        "send-at-unsupported",
        detail:
          "its time has not come (send-at), and its queue puts nothing aside: use SQLite or Redis, or send it when it is due"
      )
    }
    let given = try RequestHeaders(message)
    device = try DeviceToken.read(given[.device])
    let told = try given[.pushType].map { (text) throws(Rejection) in try PushType(header: text) }
    let topic = try Self.topic(given[.topic] ?? topic)
    let (type, markRoom) = try PushPayload.check(
      message.body, as: told ?? PushType(topic: topic), topic: topic, isNumbered: isNumbered)
    self.message = message.id
    (self.type, self.markRoom) = (type, markRoom)
    self.topic = type.topic(topic)
    deviceID = try Self.deviceID(given[.deviceID])
    body = message.body
    let expiration = try Self.expiration(given[.expiration])
    self.expiration = expiration == 0 ? nil : expiration
    id = try PushID.make(given[.id], for: message)
    let priority = try Self.priority(given[.priority], type)
    let collapseID = try Self.collapseID(given[.collapseID])
    var headers: [Header] = []
    headers.reserveCapacity(6)
    headers.add(.topic, self.topic)
    headers.add(.pushType, type.rawValue)
    headers.add(.id, id)
    headers.add(.priority, priority)
    headers.add(.expiration, expiration.map { "\($0)" })
    headers.add(.collapseID, collapseID)
    self.headers = headers
    if !isNumbered, let expiry = expiry(at: now) { throw expiry }
  }

  /// Why the push must not be sent any more, if it has expired by now. Otherwise nil.
  func expiry(at now: Int) -> Rejection? {
    guard let expiration, expiration <= now else { return nil }
    return Rejection(
      Self.expiredReason, detail: "it expired \(now - expiration) s ago (apns-expiration), so it was not sent"
    )
  }

  static let expiredReason = "expired"

  /// The value of a header of the request.
  subscript(header: RequestHeader) -> String? { headers.first { $0.name == header.name }?.value }

  private static func topic(_ text: String?) throws(Rejection) -> String {
    guard let text else {
      throw Rejection(
        "header-invalid",
        detail: "it has no header apns-topic: add it, or topic= to the URL, with the app's bundle id")
    }
    guard isTopic(text) else {
      throw .header(.topic, "is not a bundle id", right: "write one like com.example.app", text)
    }
    return text
  }

  /// Whether the text can be a bundle id.
  static func isTopic(_ text: String) -> Bool {
    text.utf8.count <= 255 && text.allBytes { 0x21...0x7E ~= $0 }
  }

  /// Background pushes must have priority 5, which is not APNs' default.
  private static func priority(_ text: String?, _ type: PushType) throws(Rejection) -> String? {
    guard let text else { return type == .background ? "5" : nil }
    guard ["10", "5", "1"].contains(text) else {
      throw .header(.priority, "is not 10, 5 or 1", right: "write 10 to send now, or leave it out", text)
    }
    guard type != .background || text != "10" else {
      throw .header(.priority, "is 10 for a background push", right: "APNs takes 5 or 1, so leave it out")
    }
    return text
  }

  private static func expiration(_ text: String?) throws(Rejection) -> Int? {
    guard let text else { return nil }
    let right = "write seconds since 1970, like 1764270000, or 0 to try once"
    guard let seconds = Int(text), text.utf8.first != UInt8(ascii: "+"), seconds >= 0 else {
      throw .header(.expiration, "is not a number of seconds", right: right, text)
    }
    // This limit is in the year 5138.
    guard seconds < 100_000_000_000 else {
      throw .header(.expiration, "looks like milliseconds", right: right, text)
    }
    return seconds
  }

  private static func deviceID(_ text: String?) throws(Rejection) -> String? {
    guard let text, text.utf8.count > 255 else { return text }
    throw .header(
      .deviceID, "has \(text.utf8.count) bytes",
      right: "write at most 255, such as a UUID that the app has created")
  }

  private static func collapseID(_ text: String?) throws(Rejection) -> String? {
    guard let text, text.utf8.count > 64 else { return text }
    throw .header(
      .collapseID, "has \(text.utf8.count) bytes", right: "APNs takes at most 64, such as half of a SHA-256")
  }
}

extension PushRequest {
  /// A push that has been checked and has its mark.
  init(
    message: String, device: String, topic: String, type: PushType, id: String?, headers: [Header],
    body: [UInt8], expiration: Int?, deviceID: String?
  ) {
    (self.message, self.device, self.topic, self.type, self.id) = (message, device, topic, type, id)
    (self.headers, self.body, self.expiration, self.deviceID) = (headers, body, expiration, deviceID)
    markRoom = .taken
  }
}

extension [Header] {
  fileprivate mutating func add(_ header: RequestHeader, _ value: String?) {
    if let value { append(Header(header.name, value)) }
  }
}
