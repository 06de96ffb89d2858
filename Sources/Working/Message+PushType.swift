internal import Notifications
internal import Queueing
internal import Supporting

extension Message {
  /// The header `apns-id`, which identifies the push to its sender and to APNs: a UUID of 36
  /// characters. Nil if it is missing, empty, or longer than 64 bytes.
  var apnsID: String? {
    headers.last { $0.name.isSameASCII(as: "apns-id") && (1...64).contains($0.value.utf8.count) }?.value
  }

  /// From the last `apns-push-type` header. Senders copy headers from their HTTP request, whose
  /// names are case-insensitive (RFC 9110 section 5.1).
  var pushType: PushType? {
    let value = headers.last { $0.name.isSameASCII(as: "apns-push-type") }?.value
    return PushType.allCases.first { value?.isSameASCII(as: $0.rawValue) == true }
  }
}
