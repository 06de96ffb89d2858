internal import CMagic

/// An open libmagic database. Closes itself.
@safe struct MagicCookie: ~Copyable {
  private let handle: magic_t

  /// The magic file alone: the checks for text, ELF, tar, CSV, JSON and compression would add 2.2 MB of
  /// private memory and regular expressions that hostile text makes slow.
  private static let magicFileOnly =
    MAGIC_NO_CHECK_COMPRESS | MAGIC_NO_CHECK_TAR | MAGIC_NO_CHECK_APPTYPE | MAGIC_NO_CHECK_ELF
    | MAGIC_NO_CHECK_TEXT | MAGIC_NO_CHECK_CSV | MAGIC_NO_CHECK_CDF | MAGIC_NO_CHECK_TOKENS
    | MAGIC_NO_CHECK_ENCODING | MAGIC_NO_CHECK_JSON

  /// Bounds of what hostile bytes make slow (libmagic(3)): how far a regular expression looks, in bytes, and
  /// how often a rule goes through the whole database again for what stands further on. With libmagic's own,
  /// 8,192 and 50, 4 KB of line ends take 60 ms behind a word, and 20 ms behind empty frames of zstd.
  private static let limits: [(parameter: Int32, value: Int)] = [
    (MAGIC_PARAM_REGEX_MAX, 512), (MAGIC_PARAM_INDIR_MAX, 4),
  ]

  /// The one that Debian ships, by its path: without one, libmagic goes by `MAGIC` and `HOME/.magic`.
  private static let systemDatabase = "/usr/share/misc/magic"

  /// - Parameter database: A compiled magic file, without its `.mgc`; nil for the one that the system ships.
  /// - Throws: What libmagic could not do.
  init(database: String? = nil) throws(SnifferError) {
    guard let handle = unsafe magic_open(Self.magicFileOnly) else { throw .magicUnavailable }
    // By path, not from a buffer: a mapped database is shared and clean, a buffer is 8 MB of private memory.
    guard unsafe magic_load(handle, database ?? Self.systemDatabase) == 0 else {
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

  mutating func mimeType(of bytes: [UInt8]) -> String? {
    ask(bytes, flags: Self.magicFileOnly | MAGIC_MIME_TYPE)
  }

  mutating func description(of bytes: [UInt8]) -> String? {
    ask(bytes, flags: Self.magicFileOnly)
  }

  /// - Returns: nil also where libmagic gives up, as it does on chains of empty ID3 tags (its recursion
  ///   limit).
  private mutating func ask(_ bytes: [UInt8], flags: Int32) -> String? {
    guard unsafe magic_setflags(handle, flags) == 0 else { return nil }
    return unsafe bytes.withUnsafeBytes { buffer in
      // The text belongs to the cookie and lives until the next question.
      unsafe magic_buffer(handle, buffer.baseAddress, buffer.count).map { unsafe String(cString: $0) }
    }
  }
}
