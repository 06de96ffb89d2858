/// The kinds of push, with their values in the `apns-push-type` header
/// (developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns).
package enum PushType: String, Equatable, Sendable, CaseIterable {
  case alert, background, controls, location, voip, complication, mdm, liveactivity, pushtotalk, widgets
  case fileProvider = "fileprovider"

  /// The most bytes that APNs accepts.
  package var maximumPayloadSize: Int { self == .voip ? 5120 : 4096 }
}
