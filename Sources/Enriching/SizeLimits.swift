package import Sniffing

/// The largest size of a file of each family, in bytes. Apple's limits are 5, 10 and 50 "MB"
/// (UNNotificationAttachment, "Supported File Types"). A million bytes is the smaller reading.
package struct SizeLimits: Sendable, Equatable {
  package var audio = 5_000_000
  package var image = 10_000_000
  package var video = 50_000_000

  package init() {}

  package var largest: Int { max(audio, image, video) }

  package subscript(family: MediaFamily) -> Int {
    get {
      switch family {
      case .audio: audio
      case .image: image
      case .video: video
      }
    }
    set {
      switch family {
      case .audio: audio = newValue
      case .image: image = newValue
      case .video: video = newValue
      }
    }
  }
}
