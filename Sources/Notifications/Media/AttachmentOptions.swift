/// How the sender wants an attachment to be shown: the options of UNNotificationAttachment.
package struct AttachmentOptions: Equatable, Sendable, JSONWritable {
  /// A uniform type identifier.
  package internal(set) var typeHint: String?
  package internal(set) var thumbnailHidden: Bool?
  package internal(set) var thumbnailClippingRect: ClippingRect?
  /// Seconds into a movie, or the number of an animation's frame. Not negative.
  package internal(set) var thumbnailTime: Double?

  package var isEmpty: Bool { self == AttachmentOptions() }

  /// Uses the raw values of UNNotificationAttachment's keys, so that an app can pass the object on.
  package func write(to writer: inout JSONWriter) {
    writer.object {
      $0.member("typeHint", typeHint)
      $0.member("thumbnailHidden", thumbnailHidden)
      $0.member("thumbnailClippingRect", thumbnailClippingRect)
      $0.member("thumbnailTime", thumbnailTime)
    }
  }
}

/// The part of a picture to use as its thumbnail, in fractions of the picture's width and height.
package struct ClippingRect: Equatable, Sendable, JSONWritable {
  package let x, y, width, height: Double

  /// Nil unless each value is within 0...1, as Airship's extension demands and Apple documents.
  init?(x: Double, y: Double, width: Double, height: Double) {
    guard [x, y, width, height].allSatisfy((0...1).contains) else { return nil }
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  /// Reads `{"x","y","width","height"}`, as senders write it, and `{"X","Y","Width","Height"}`, as iOS does.
  init?(_ value: JSONValue) {
    let names = [("x", "X"), ("y", "Y"), ("width", "Width"), ("height", "Height")]
    let sides = names.compactMap { (value[$0] ?? value[$1])?.number }
    guard sides.count == names.count else { return nil }
    self.init(x: sides[0], y: sides[1], width: sides[2], height: sides[3])
  }

  /// Capitalizes the names, as iOS expects (`CGRectCreateDictionaryRepresentation`).
  package func write(to writer: inout JSONWriter) {
    writer.object {
      $0.member("X", x)
      $0.member("Y", y)
      $0.member("Width", width)
      $0.member("Height", height)
    }
  }
}
