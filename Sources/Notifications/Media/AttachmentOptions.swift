/// How a sender wants an attachment shown, in the terms of UNNotificationAttachment's options.
package struct AttachmentOptions: Equatable, Sendable {
  /// A uniform type identifier.
  package var typeHint: String?
  package var thumbnailHidden: Bool?
  package var thumbnailClippingRect: ClippingRect?
  /// Seconds into a movie, or the number of a frame of an animation; not negative.
  package var thumbnailTime: Double?

  package init(
    typeHint: String? = nil, thumbnailHidden: Bool? = nil, thumbnailClippingRect: ClippingRect? = nil,
    thumbnailTime: Double? = nil
  ) {
    self.typeHint = typeHint
    self.thumbnailHidden = thumbnailHidden
    self.thumbnailClippingRect = thumbnailClippingRect
    self.thumbnailTime = thumbnailTime
  }

  package var isEmpty: Bool { self == AttachmentOptions() }
}

extension AttachmentOptions: JSONWritable {
  /// The names are the raw values of UNNotificationAttachment's option keys, so that an app can hand the
  /// object over as it is.
  package func write(to writer: inout JSONWriter) {
    writer.object {
      $0.member("typeHint", typeHint)
      $0.member("thumbnailHidden", thumbnailHidden)
      $0.member("thumbnailClippingRect", thumbnailClippingRect)
      $0.member("thumbnailTime", thumbnailTime)
    }
  }
}

/// The part of a picture that is its thumbnail, in fractions of its width and height.
package struct ClippingRect: Equatable, Sendable {
  package let x: Double
  package let y: Double
  package let width: Double
  package let height: Double

  /// Nil unless each is within 0...1, which is what Airship's extension demands and Apple documents.
  package init?(x: Double, y: Double, width: Double, height: Double) {
    guard [x, y, width, height].allSatisfy((0...1).contains) else { return nil }
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// Reads `{"x","y","width","height"}` as senders write it, and `{"X","Y","Width","Height"}` as iOS does.
  init?(_ value: JSONValue) {
    func side(_ name: String, _ capitalised: String) -> Double? {
      (value[name] ?? value[capitalised])?.number
    }
    guard let x = side("x", "X"), let y = side("y", "Y"),
      let width = side("width", "Width"), let height = side("height", "Height")
    else { return nil }
    self.init(x: x, y: y, width: width, height: height)
  }
}

extension ClippingRect: JSONWritable {
  /// Capitalised: iOS wants the dictionary that `CGRectCreateDictionaryRepresentation` makes, and Airship's
  /// extension capitalises what it gets before it hands it over.
  package func write(to writer: inout JSONWriter) {
    writer.object {
      $0.member("X", x)
      $0.member("Y", y)
      $0.member("Width", width)
      $0.member("Height", height)
    }
  }
}
