/// How iOS plays a media file. Each family has one size limit.
package enum MediaFamily: String, CaseIterable, Sendable {
  case audio, image, video
}

/// The eleven formats that iOS accepts as a notification attachment. To add one, add a case and its
/// row here, a row in `Signature`, and a row in `FileEnd` if the format shows its end.
///
/// Sources: Apple, UNNotificationAttachment, "Supported File Types"; Apple, "System-declared
/// uniform type identifiers"; IANA media types, and the `x-` forms of libmagic, Apache and nginx.
package enum MediaFormat: String, CaseIterable, Sendable {
  case aiff, wav, mp3
  /// MPEG-4 with sound and no picture, whatever its brand.
  case m4a
  case jpeg, gif, png
  /// A movie of MPEG-1 or MPEG-2: any program stream, or a bare MPEG-1 video stream.
  case mpeg
  /// A bare MPEG-2 video stream. (MPEG-2 in a program stream is `mpeg`, as Apple defines the two.)
  case mpeg2
  /// MPEG-4 with a picture track.
  case mp4
  case avi

  /// The format's own name comes first in each list.
  private var row: Row {
    switch self {
    case .aiff:
      (
        .audio, "AIFF audio", ["public.aiff-audio", "public.aifc-audio"], ["aiff", "aif", "aifc"],
        ["audio/aiff", "audio/x-aiff", "audio/x-aifc"]
      )
    case .wav:
      (
        .audio, "WAV audio", ["com.microsoft.waveform-audio"], ["wav", "wave", "bwf"],
        ["audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave", "audio/x-pn-wav"]
      )
    case .mp3:
      (
        .audio, "MP3 audio", ["public.mp3"], ["mp3", "mpga"],
        ["audio/mpeg", "audio/mp3", "audio/mpeg3", "audio/x-mpeg", "audio/x-mp3"]
      )
    case .m4a:
      (
        .audio, "MPEG-4 audio", ["public.mpeg-4-audio", "com.apple.m4a-audio"], ["m4a", "m4b"],
        ["audio/mp4", "audio/x-m4a", "audio/m4a", "audio/x-m4b", "audio/mpeg4"]
      )
    case .jpeg:
      (
        .image, "JPEG image", ["public.jpeg"], ["jpg", "jpeg", "jpe", "jfif"],
        ["image/jpeg", "image/jpg", "image/pjpeg"]
      )
    case .gif: (.image, "GIF image", ["com.compuserve.gif"], ["gif"], ["image/gif"])
    case .png:
      (
        .image, "PNG image", ["public.png"], ["png", "apng"],
        ["image/png", "image/apng", "image/x-png", "image/vnd.mozilla.apng"]
      )
    case .mpeg:
      (
        .video, "MPEG movie", ["public.mpeg"], ["mpg", "mpeg", "mpe", "m75", "m15", "m1v", "vob"],
        ["video/mpeg", "video/mpg", "video/x-mpeg", "video/mp2p"]
      )
    case .mpeg2:
      (
        .video, "MPEG-2 video", ["public.mpeg-2-video", "public.mpeg"], ["m2v", "mpg", "mpeg"],
        ["video/mpeg2", "video/mpeg", "video/mpg", "video/x-mpeg2"]
      )
    case .mp4:
      (
        .video, "MPEG-4 video", ["public.mpeg-4"], ["mp4", "mpg4", "m4v"],
        ["video/mp4", "video/mpeg4", "video/x-m4v", "application/mp4"]
      )
    case .avi:
      (
        .video, "AVI movie", ["public.avi"], ["avi", "vfw"],
        ["video/avi", "video/x-msvideo", "video/msvideo", "video/vnd.avi"]
      )
    }
  }

  package var family: MediaFamily { row.family }
  /// For people: "JPEG image".
  package var displayName: String { row.displayName }
  /// The type as iOS names it. It goes into the payload.
  package var uniformTypeIdentifier: String { row.identifiers[0] }
  /// The extension of a stored file, without a dot. iOS goes by it if there is no type hint.
  package var filenameExtension: String { filenameExtensions[0] }
  /// Without dots.
  var filenameExtensions: [String] { row.extensions }
  /// The types that servers send, the usual one first.
  package var mimeTypes: [String] { row.mimeTypes }

  /// Identifiers of this format and of the types that it conforms to. A hint may name any of them.
  var uniformTypeIdentifiers: [String] {
    let ofFamily =
      switch family {
      case .image: ["public.image"]
      case .audio: ["public.audio", "public.audiovisual-content"]
      case .video: ["public.movie", "public.video", "public.audiovisual-content"]
      }
    return row.identifiers + ofFamily + ["public.data", "public.item", "public.content"]
  }
}

private typealias Row = (
  family: MediaFamily, displayName: String, identifiers: [String], extensions: [String], mimeTypes: [String]
)
