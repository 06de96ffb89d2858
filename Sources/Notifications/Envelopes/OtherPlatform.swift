/// Messages of known services that do not go to APNs. Advice about the place of a payload would be wrong for them.
enum OtherPlatform {
  private static let rows: [(service: String, messages: JSONPath, mark: Envelope.Mark)] = [
    // Android and Huawei, in core/core.go of appleboy/gorush.
    (
      "gorush", ["notifications", .each],
      Envelope.Mark(
        has: [["message", "title", "alert", "data"]], lacks: ["aps"], number: ("platform", [2, 3]))
    ),
    // A message that also goes to iOS is a known envelope, so it does not get here.
    (
      "Airship", [.each],
      Envelope.Mark(has: [["audience"], ["notification"], ["device_types"]], lacks: ["aps"])
    ),
    // The platforms of `CreatePlatformApplication` that are not Apple's.
    (
      "SNS", [],
      Envelope.Mark(
        has: [["GCM", "FCM", "ADM", "BAIDU", "MPNS", "WNS"]], lacks: ["aps", "message", "notification"])
    ),
  ]

  /// firebase.google.com/docs/cloud-messaging/migrate-v1
  private static let legacyFCM = Envelope.Mark(
    has: [["to", "registration_ids"], ["notification", "data"]],
    lacks: ["aps", "message", "app_id", "audience", "platform", "apns"])

  /// Whether a message has members of FCM's legacy API that no other service has.
  static func isLegacyFCM(_ value: JSONValue) -> Bool {
    legacyFCM.fits(value)
      && [
        "mutable_content", "content_available", "collapse_key", "time_to_live", "restricted_package_name",
        "dry_run",
      ].contains { value.given($0) != nil }
  }

  /// - Returns: what to say about a value that has such a message; nil if it has none.
  static func message(at top: JSONPath.Place) -> EnvelopeError? {
    for row in rows {
      var found: EnvelopeError?
      row.messages.visit(from: top) { place in
        if found == nil, row.mark.fits(place.value) {
          found = .otherPlatform(row.service, place: place.path)
        }
      }
      if let found { return found }
    }
    return legacyFCM.fits(top.value) ? .legacyFCM(place: top.path) : nil
  }
}
