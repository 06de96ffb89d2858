internal import Notifications
internal import Queueing
internal import Supporting

extension Message {
  /// What the payload is sent as, by the last header of APNs' name for it. Senders put the headers of their request beside it: names of
  /// those have no case (RFC 9110 section 5.1).
  var pushType: PushType? {
    guard let header = headers.last(where: { $0.name.isSameASCII(as: "apns-push-type") }) else { return nil }
    return PushType.allCases.first { header.value.isSameASCII(as: $0.rawValue) }
  }
}

extension String {
  /// Whether it is `word`, which is in lower case, but for the case of ASCII letters.
  fileprivate func isSameASCII(as word: String) -> Bool {
    utf8.elementsEqual(word.utf8) { $0.lowercasedASCII == $1 }
  }
}
