/// What a media file is played as. iOS has one size limit per family.
///
/// Source: Apple, UNNotificationAttachment, "Supported File Types".
package enum MediaFamily: String, CaseIterable, Sendable {
  case audio, image, video
}
