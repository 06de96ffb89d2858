/// A push on its way to the mock, and what is wrong with it.
final class APNsRequest {
  let stream: Int32
  /// `apns-id`, made up if the client sends none.
  var id = ""
  var device = ""
  var bodyCount = 0
  var body: [UInt8] = []
  private var method: [UInt8] = []
  private var path: [UInt8] = []
  private var authorization: [UInt8] = []
  private var topic = ""
  private(set) var collapseID = ""
  private var priority = ""
  private var expiration = ""
  private var type = ""
  private var isDuplicate = false
  private static let types: Set<String> = [
    "alert", "background", "location", "voip", "complication", "fileprovider", "mdm", "liveactivity",
    "pushtotalk", "widgets", "controls",
  ]

  init(stream: Int32) { self.stream = stream }

  func take(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    func text(_ old: String) -> String {
      isDuplicate = isDuplicate || !old.isEmpty
      return unsafe String(decoding: value, as: UTF8.self)
    }
    func bytes(_ old: [UInt8]) -> [UInt8] {
      isDuplicate = isDuplicate || !old.isEmpty
      return unsafe Array(value)
    }
    func isName(_ text: StaticString) -> Bool {
      unsafe name.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
    // The length tells most names apart.
    switch name.count {
    case 5 where isName(":path"): path = bytes(path)
    case 7 where isName(":method"): method = bytes(method)
    case 7 where isName("apns-id"): id = text(id)
    case 10 where isName("apns-topic"): topic = text(topic)
    case 13 where isName("authorization"): authorization = bytes(authorization)
    case 13 where isName("apns-priority"): priority = text(priority)
    case 14 where isName("apns-push-type"): type = text(type)
    case 15 where isName("apns-expiration"): expiration = text(expiration)
    case 16 where isName("apns-collapse-id"): collapseID = text(collapseID)
    default: break
    }
  }

  /// Reads the device out of the path once all headers are there.
  func end(number: Int) -> Bool {
    let hasID = !id.isEmpty
    if !hasID {
      let digits = String(number, radix: 16)
      id = "00000000-0000-4000-8000-" + String(repeating: "0", count: max(0, 12 - digits.count)) + digits
    }
    let prefix = "/3/device/".utf8
    if path.starts(with: prefix) { device = String(decoding: path.dropFirst(prefix.count), as: UTF8.self) }
    return hasID
  }

  /// Returns the first thing that is wrong, in the order of pushy's mock server.
  /// - Parameter hasCertificate: whether the connection has a client certificate.
  func check(
    _ behaviour: APNsBehaviour, _ tokens: inout APNsTokens, hasCertificate: Bool, at now: Int
  ) -> APNsReason? {
    if isDuplicate { return .DuplicateHeaders }
    if !Self.isUUID(id) { return .BadMessageId }
    if !method.elementsEqual("POST".utf8) { return .MethodNotAllowed }
    if topic.isEmpty { return .MissingTopic }
    if collapseID.utf8.count > 64 { return .BadCollapseId }
    if !["", "1", "5", "10"].contains(priority) { return .BadPriority }
    if !expiration.isEmpty, Int(expiration) == nil { return .BadExpirationDate }
    if !Self.types.contains(type) || type == "background" && priority == "10" {
      return Self.types.contains(type) ? .BadPriority : .InvalidPushType
    }
    if !path.starts(with: "/3/device".utf8) { return .BadPath }
    if device.isEmpty { return .MissingDeviceToken }
    if device.utf8.count % 2 != 0 || !device.utf8.allSatisfy(Self.isHex) { return .BadDeviceToken }
    if let reason = behaviour.devices[device] ?? APNsReason.byDeviceToken[device] { return reason }
    if !behaviour.topics.isEmpty, !behaviour.topics.contains(topic) { return .DeviceTokenNotForTopic }
    if !behaviour.wantsToken {
      if !hasCertificate { return .MissingProviderToken }
    } else if let reason = tokens.check(authorization, at: now) {
      return reason
    }
    if let reason = behaviour.answersByTopic[topic] { return reason }
    if bodyCount == 0 { return .PayloadEmpty }
    return bodyCount > (type == "voip" ? 5_120 : 4_096) ? .PayloadTooLarge : nil
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }

  private static func isUUID(_ id: String) -> Bool {
    id.utf8.count == 36
      && id.utf8.enumerated().allSatisfy {
        [8, 13, 18, 23].contains($0) ? $1 == UInt8(ascii: "-") : isHex($1)
      }
  }
}
