internal import CMagic

/// An open libmagic database. It is closed by `deinit`.
@safe struct MagicCookie: ~Copyable {
  private let handle: magic_t

  /// Only the magic file is used. The other checks (text, ELF, tar, CSV, JSON, compression) would
  /// add 2.2 MB of private memory, and regular expressions that hostile text makes slow.
  private static let magicFileOnly =
    MAGIC_NO_CHECK_COMPRESS | MAGIC_NO_CHECK_TAR | MAGIC_NO_CHECK_APPTYPE | MAGIC_NO_CHECK_ELF
    | MAGIC_NO_CHECK_TEXT | MAGIC_NO_CHECK_CSV | MAGIC_NO_CHECK_CDF | MAGIC_NO_CHECK_TOKENS
    | MAGIC_NO_CHECK_ENCODING | MAGIC_NO_CHECK_JSON

  /// Limits for hostile bytes (libmagic(3)): how many bytes a regular expression sees, and how
  /// often a rule searches the database again. By default (8,192 and 50), 4 KB can take 60 and 20
  /// ms.
  private static let limits: [(parameter: Int32, value: Int)] = [
    (MAGIC_PARAM_REGEX_MAX, 512), (MAGIC_PARAM_INDIR_MAX, 4),
  ]

  /// - Parameter database: without `.mgc`. Otherwise libmagic would try `MAGIC` and `HOME/.magic`.
  init(database: String = "/usr/share/misc/magic") throws(SnifferError) {
    guard let handle = unsafe magic_open(Self.magicFileOnly) else { throw .magicUnavailable }
    // By path: a mapped database is shared and clean. A buffer would be 8 MB of private memory.
    guard unsafe magic_load(handle, database) == 0 else {
      let reason = unsafe magic_error(handle).map { unsafe String(cString: $0) }
      unsafe magic_close(handle)
      throw .databaseUnreadable(reason: reason ?? "unknown")
    }
    for (parameter, value) in Self.limits {
      var value = value
      guard unsafe magic_setparam(handle, parameter, &value) == 0 else {
        unsafe magic_close(handle)
        throw .magicUnavailable
      }
    }
    unsafe self.handle = handle
  }

  deinit { unsafe magic_close(handle) }

  /// Opens the system's database and compares its answers with the samples.
  static func tested() throws(SnifferError) -> MagicCookie {
    var cookie = try MagicCookie()
    for sample in samples {
      let mimeType = cookie.mimeType(of: sample.bytes) ?? "nothing"
      let description = cookie.description(of: sample.bytes) ?? "nothing"
      let isMimeTypeRight = mimeType == sample.mimeType
      guard isMimeTypeRight, description.hasPrefix(sample.description) else {
        throw .answersOtherwise(sample: sample.name, answer: isMimeTypeRight ? description : mimeType)
      }
    }
    return cookie
  }

  mutating func mimeType(of bytes: [UInt8]) -> String? { ask(bytes, flags: MAGIC_MIME_TYPE) }

  mutating func description(of bytes: [UInt8]) -> String? { ask(bytes, flags: 0) }

  /// Also returns nil if libmagic gives up, as on chains of empty ID3 tags (its recursion limit).
  private mutating func ask(_ bytes: [UInt8], flags: Int32) -> String? {
    guard unsafe magic_setflags(handle, Self.magicFileOnly | flags) == 0 else { return nil }
    return unsafe bytes.withUnsafeBytes { buffer in
      // The text belongs to the cookie, and is valid until the next call.
      unsafe magic_buffer(handle, buffer.baseAddress, buffer.count).map { unsafe String(cString: $0) }
    }
  }
}

/// Answers of libmagic 5.44 with Debian 12's database: the MIME type, the start of the description.
private let samples: [(name: String, bytes: [UInt8], mimeType: String, description: String)] = [
  ("FLAC audio", Array("fLaC\0\0\0\u{22}\u{10}\0\u{10}\0".utf8), "audio/flac", "FLAC audio"),
  ("a PDF document", Array("%PDF-1.7\n".utf8), "application/pdf", "PDF document"),
  ("a GIMP image", Array("gimp xcf file\0".utf8), "image/x-xcf", "GIMP XCF image"),
  ("an xz archive", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0, 4], "application/x-xz", "XZ compressed data"),
  ("a GIF image", Array("GIF89a\u{1}\0\u{1}\0\0\0\0".utf8), "image/gif", "GIF image data"),
  ("bytes that mean nothing", [1, 2, 3, 4, 0x7A, 0x7A, 0x7A, 0x7A], "application/octet-stream", "data"),
]
