internal import Supporting

/// The member `q` of a payload: `{"p":17,"e":1764270000,"d":"…","t":"…"}`. It tells the app's extension the
/// position of the push among those of its device.
package struct QueueMark: Sendable {
  package let position: QueuePosition
  /// Proves to the device API that the device asking has received this push.
  package let ticket: String
  /// Whether this push was sent before.
  package let isRepeat: Bool

  package init(_ position: QueuePosition, keys: TicketKeys, isRepeat: Bool = false) {
    (self.position, self.isRepeat) = (position, isRepeat)
    ticket = keys.ticket(for: position)
  }

  /// How many bytes to leave free in a payload for the mark: with ten digits of `p` and `e`, and `"r":1`.
  package static let maximumSize = 90

  /// The payload with the mark as its last member.
  /// - Parameter body: a JSON object with at least one member, and without a member `q`.
  /// - Returns: nil if `body` is not an object.
  package func insert(into body: [UInt8]) -> [UInt8]? {
    guard let end = body.lastIndex(of: UInt8(ascii: "}")) else { return nil }
    let repeats = isRepeat ? #","r":1"# : ""
    let mark =
      #","q":{"p":\#(position.position),"e":\#(position.epoch),"d":"\#(position.device.hash)","t":"\#(ticket)"\#(repeats)}"#
    var marked: [UInt8] = []
    marked.reserveCapacity(body.count + mark.utf8.count)
    marked += body[..<end]
    marked += mark.utf8
    marked += body[end...]
    return marked
  }
}

extension AppDevice {
  /// The member `d` of a mark, by which the extension recognizes its own device: 8 bytes of a SHA-256
  /// in base64url.
  package var hash: String { BaseEncoding.base64URL.encode(Array(digest().prefix(8)).span) }

  /// The SHA-256 of app and device, with a zero byte between them, and `suffix`. Empty if OpenSSL fails.
  func digest(_ suffix: String = "") -> [UInt8] {
    SHA256.digest(of: Array("\(app)\0\(device)\(suffix)".utf8).span) ?? []
  }
}

extension QueuePosition {
  /// The `apns-collapse-id` of a push whose sender gave none. It stays the same when the push is sent again,
  /// so that a device never shows both.
  package var collapseID: String {
    "q." + BaseEncoding.base64URL.encode(Array(device.digest("\0\(epoch)\0\(position)").prefix(16)).span)
  }
}
