/// The eleven formats that iOS takes as a notification attachment, and nothing else.
///
/// Source: Apple, UNNotificationAttachment, "Supported File Types"; identifiers and extensions from Apple,
/// Uniform Type Identifiers, "System-declared uniform type identifiers".
package enum MediaFormat: String, CaseIterable, Sendable {
  case aiff, wav, mp3
  /// MPEG-4 with sound and no picture, whatever its brand.
  case m4a
  case jpeg, gif, png
  /// A movie of MPEG-1 or MPEG-2: any program stream, or a bare MPEG-1 video stream.
  case mpeg
  /// A bare MPEG-2 video stream. (MPEG-2 in a program stream is `mpeg`, which is how Apple defines the two.)
  case mpeg2
  /// MPEG-4 with a picture track.
  case mp4
  case avi

  package var family: MediaFamily {
    switch self {
    case .aiff, .wav, .mp3, .m4a: .audio
    case .jpeg, .gif, .png: .image
    case .mpeg, .mpeg2, .mp4, .avi: .video
    }
  }

  /// The type as iOS names it: what goes into the payload.
  package var uniformTypeIdentifier: String {
    switch self {
    case .aiff: "public.aiff-audio"
    case .wav: "com.microsoft.waveform-audio"
    case .mp3: "public.mp3"
    case .m4a: "public.mpeg-4-audio"
    case .jpeg: "public.jpeg"
    case .gif: "com.compuserve.gif"
    case .png: "public.png"
    case .mpeg: "public.mpeg"
    case .mpeg2: "public.mpeg-2-video"
    case .mp4: "public.mpeg-4"
    case .avi: "public.avi"
    }
  }

  /// The extension, without a dot, under which the file is stored. iOS goes by it where no type hint is
  /// given.
  package var filenameExtension: String {
    switch self {
    case .jpeg: "jpg"
    case .mpeg: "mpg"
    case .mpeg2: "m2v"
    case .aiff, .wav, .mp3, .m4a, .gif, .png, .mp4, .avi: rawValue
    }
  }

  /// For people: "JPEG image".
  package var displayName: String {
    switch self {
    case .aiff: "AIFF audio"
    case .wav: "WAV audio"
    case .mp3: "MP3 audio"
    case .m4a: "MPEG-4 audio"
    case .jpeg: "JPEG image"
    case .gif: "GIF image"
    case .png: "PNG image"
    case .mpeg: "MPEG movie"
    case .mpeg2: "MPEG-2 video"
    case .mp4: "MPEG-4 video"
    case .avi: "AVI movie"
    }
  }
}
