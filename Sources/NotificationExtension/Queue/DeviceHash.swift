internal import Foundation

/// Distinguishes the pushes of this device from those of other devices, without naming the device.
public enum DeviceHash {
  /// The first 8 bytes of the SHA-256 of the app, a zero byte and the device, in base64url without padding.
  /// - Parameter app: the topic of the app's pushes, which is its bundle identifier.
  public static func hash(app: String, device: String) -> String {
    var digest = SHA256Digest()
    digest.update(Data(app.utf8) + [0] + Data(device.utf8))
    return Data(digest.finish().prefix(8)).base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
  }
}
