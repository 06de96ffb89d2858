/// Senders often give a URL for Android only, and wonder why iOS shows no picture.
extension Payload {
  /// The place of a URL in the message that only Android shows, spelled as a `MediaKey`; nil if there is none.
  package var androidPicture: String? {
    guard bytes.containsHTTP else { return nil }
    // The messages of SNS for other platforms are beside the payload, not around it.
    let isSNS = enclosure?.envelope.name == "sns"
    let urls = URLSearch.all(
      in: isSNS ? JSONPath.Place(value: message.root) : enclosure?.place ?? place)
    return (urls.media + urls.others).first { path in
      path.split(separator: ".").contains { Self.isAndroids($0) } || path == gorushImage
    }
  }

  /// The place of a URL of media in the envelope, such as FCM's `notification.image_url`, spelled as a `MediaKey`. If
  /// the payload names no media, nothing for iOS is read from there. Nil if there is none.
  package var urlInEnvelope: String? {
    guard let enclosure, bytes.containsHTTP else { return nil }
    return URLSearch.all(in: enclosure.place).media.first
  }

  /// Where the payload's service, or this program, looks for media for iOS.
  package var placeForMedia: String {
    let known = [
      "fcm": "apns.fcm_options.image", "onesignal": "ios_attachments.media",
      "airship": "notification.ios.media_attachment.url", "expo": "richContent.image",
    ]
    if let enclosure, let place = known[enclosure.envelope.name] {
      return enclosure.path.isEmpty ? place : "\(enclosure.path).\(place)"
    }
    return path.isEmpty ? "media.url" : "\(path).media.url"
  }

  /// Whether only Android reads a member of this name. OneSignal, Airship, FCM and senders themselves use names
  /// like `big_picture`, `largeIcon` and `android`. SNS calls FCM's messages `GCM`.
  private static func isAndroids(_ name: Substring) -> Bool {
    let name = name.lowercased().filter { $0 != "_" && $0 != "-" }
    return name.hasPrefix("android") || name == "gcm" || name.hasSuffix("bigpicture")
      || name.hasSuffix("largeicon")
  }

  private var gorushImage: String? {
    guard let enclosure, enclosure.envelope.name == "gorush" else { return nil }
    return enclosure.path.isEmpty ? "image" : "\(enclosure.path).image"
  }
}
