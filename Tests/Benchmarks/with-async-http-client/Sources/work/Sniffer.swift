import CMagic
import Synchronization

/// libmagic, used by one thread at a time.
final class Sniffer: Sendable {
  /// The handle of libmagic.
  @safe
  private struct Cookie: ~Copyable {
    let value: magic_t

    init?() {
      let skipped = MAGIC_NO_CHECK_TEXT | MAGIC_NO_CHECK_ENCODING | MAGIC_NO_CHECK_ELF | MAGIC_NO_CHECK_CDF
      guard let value = unsafe magic_open(MAGIC_MIME_TYPE | skipped) else { return nil }
      guard unsafe magic_load(value, nil) == 0 else {
        unsafe magic_close(value)
        return nil
      }
      unsafe self.value = unsafe value
    }

    deinit { unsafe magic_close(value) }
  }

  private let cookie: Mutex<Cookie>

  init() throws(WorkError) {
    guard let opened = Cookie() else { throw .sniffer }
    cookie = Mutex(opened)
  }

  /// - Returns: the type, such as `image/jpeg`, of images and videos.
  func type(of head: [UInt8]) -> String? {
    cookie.withLock { cookie in
      let text = unsafe head.withUnsafeBytes { bytes in
        unsafe magic_buffer(cookie.value, bytes.baseAddress, bytes.count).map { unsafe String(cString: $0) }
      }
      guard let text, text.hasPrefix("image/") || text.hasPrefix("video/") else { return nil }
      return text
    }
  }
}
