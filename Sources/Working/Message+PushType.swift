internal import Notifications
internal import Queueing
internal import Supporting

extension Message {
  /// The header `apns-id`, by which the sender and APNs know the push: a UUID of 36 characters. Nil where it
  /// has more than 64 bytes.
  var apnsID: String? {
    headers.last { $0.name.isSameASCII(as: "apns-id") && (1...64).contains($0.value.utf8.count) }?.value
  }

  /// The push type from the last header with APNs' name for it. Senders add the headers of their HTTP
  /// request, whose names are case-insensitive (RFC 9110 section 5.1).
  var pushType: PushType? {
    let value = headers.last { $0.name.isSameASCII(as: "apns-push-type") }?.value
    return PushType.allCases.first { value?.isSameASCII(as: $0.rawValue) == true }
  }
}

extension String {
  /// Whether it is `word`, which is in lower case, in any case of ASCII letters.
  fileprivate func isSameASCII(as word: String) -> Bool {
    utf8.elementsEqual(word.utf8) { $0.lowercasedASCII == $1 }
  }
}
