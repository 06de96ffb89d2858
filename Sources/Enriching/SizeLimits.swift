package import Sniffing

/// The largest size of a file of each family, in bytes. Apple's limits are 5, 10 and 50 "MB"
/// (UNNotificationAttachment, "Supported File Types"). A million bytes is the smaller reading.
///
/// Pixels take four bytes each in memory, however small the file is: 437 KB of PNG can be 14 GB.
package struct SizeLimits: Sendable, Equatable {
  package var audio = 5_000_000
  package var image = 10_000_000
  package var video = 50_000_000
  /// The most pixels of a picture, in all its frames together. The system decodes movies, outside the extension.
  package var pixels = 50_000_000
  /// The longest side of a picture or a movie, in pixels.
  package var side = 20_000

  package init() {}

  package var largest: Int { max(audio, image, video) }

  /// A limit on pixels that a medium exceeds.
  enum Excess: Equatable { case side, pixels }

  /// The first limit that a medium exceeds; nil if it exceeds neither.
  func excess(of facts: MediaFacts, of family: MediaFamily) -> Excess? {
    guard let width = facts.width, let height = facts.height else { return nil }
    if max(width, height) > side { return .side }
    let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
    let frames = max(1, facts.frames ?? 1)
    return family == .image && (overflow || frames > self.pixels / max(1, pixels)) ? .pixels : nil
  }

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
