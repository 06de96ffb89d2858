extension MediaFormat {
  /// MIME types under which servers send this format, the usual one first.
  ///
  /// Source: IANA media types where registered; the `x-` forms are what libmagic, Apache and nginx say.
  package var mimeTypes: [String] {
    switch self {
    case .aiff: ["audio/aiff", "audio/x-aiff"]
    case .wav: ["audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave", "audio/x-pn-wav"]
    case .mp3: ["audio/mpeg", "audio/mp3", "audio/mpeg3", "audio/x-mpeg", "audio/x-mp3"]
    case .m4a: ["audio/mp4", "audio/x-m4a", "audio/m4a", "audio/mpeg4"]
    case .jpeg: ["image/jpeg", "image/jpg", "image/pjpeg"]
    case .gif: ["image/gif"]
    case .png: ["image/png", "image/apng", "image/x-png", "image/vnd.mozilla.apng"]
    case .mpeg: ["video/mpeg", "video/mpg", "video/x-mpeg", "video/mp2p"]
    case .mpeg2: ["video/mpeg2", "video/mpeg", "video/mpg", "video/x-mpeg2"]
    case .mp4: ["video/mp4", "video/mpeg4", "video/x-m4v", "application/mp4"]
    case .avi: ["video/avi", "video/x-msvideo", "video/msvideo", "video/vnd.avi"]
    }
  }

  /// Filename extensions, without dots, that stand for this format.
  var filenameExtensions: [String] {
    switch self {
    case .aiff: ["aiff", "aif"]
    case .wav: ["wav", "wave", "bwf"]
    case .mp3: ["mp3", "mpga"]
    case .m4a: ["m4a"]
    case .jpeg: ["jpg", "jpeg", "jpe", "jfif"]
    case .gif: ["gif"]
    case .png: ["png", "apng"]
    case .mpeg: ["mpg", "mpeg", "mpe", "m75", "m15", "m1v", "vob"]
    case .mpeg2: ["m2v", "mpg", "mpeg"]
    case .mp4: ["mp4", "mpg4", "m4v"]
    case .avi: ["avi", "vfw"]
    }
  }

  /// Identifiers of this format and of what it conforms to: a hint may name either.
  var uniformTypeIdentifiers: [String] {
    let general = ["public.data", "public.item", "public.content"]
    let ofFamily =
      switch family {
      case .image: ["public.image"]
      case .audio: ["public.audio", "public.audiovisual-content"]
      case .video: ["public.movie", "public.video", "public.audiovisual-content"]
      }
    let synonyms =
      switch self {
      case .m4a: ["com.apple.m4a-audio"]
      case .aiff: ["public.aifc-audio"]
      case .mpeg2: ["public.mpeg"]
      case .wav, .mp3, .jpeg, .gif, .png, .mpeg, .mp4, .avi: [String]()
      }
    return [uniformTypeIdentifier] + synonyms + ofFamily + general
  }
}
