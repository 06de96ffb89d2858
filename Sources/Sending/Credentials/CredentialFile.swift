internal import COpenSSL
internal import Glibc
internal import Queueing
internal import Supporting

/// A file with a private key. The operator may replace it at any time.
enum CredentialFile {
  /// In bytes. A key takes 260, and a certificate with its chain less than 10,000.
  private static let maximumLength = 65_536

  /// Reads the whole file, and wipes its bytes after `body`.
  /// - Parameters:
  ///   - kind: names the file in messages.
  ///   - body: throws a fault that says what is wrong with the content, and what would be right.
  static func read<Content>(
    _ path: String, _ kind: String, _ body: ([UInt8]) throws(CredentialFault) -> Content
  ) throws(QueueError) -> (content: Content, stamp: FileStamp) {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      throw .refused("the \(kind) file \(path) cannot be read: \(String(errno: errno))")
    }
    defer { close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .refused("the \(kind) file \(path) cannot be read: it is not a file")
    }
    if let exposure = FileExposure(status) {
      throw .refused("the \(kind) file \(path) is refused: \(exposure.advice(on: path))")
    }
    guard var bytes = FileBytes.read(file, maximum: maximumLength) else {
      throw .refused("the \(kind) file \(path) cannot be read: \(String(errno: errno))")
    }
    defer { unsafe bytes.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) } }
    // OpenSSL keeps failures in an error queue of this thread, where TLS would find them.
    defer { ERR_clear_error() }
    do throws(CredentialFault) {
      guard !bytes.isEmpty else { throw CredentialFault("it is empty", "put the file here as Apple gave it") }
      guard bytes.count <= maximumLength else {
        throw CredentialFault("it is longer than \(maximumLength.asBytes)", "check which file this is")
      }
      return (try body(bytes), FileStamp(status))
    } catch {
      throw .refused("the \(kind) file \(path) cannot be used: \(error.what): \(error.right)")
    }
  }
}

/// What is wrong with the content of a file, and what would be right.
struct CredentialFault: Error, Equatable {
  let what, right: String

  init(_ what: String, _ right: String) { (self.what, self.right) = (what, right) }
}

/// A text in memory that OpenSSL reads.
@safe struct OpenSSLText: ~Copyable {
  let pointer: OpaquePointer?

  /// - Parameter bytes: must live as long as this value.
  @unsafe init(_ bytes: UnsafeRawBufferPointer) {
    unsafe pointer = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
  }

  deinit { unsafe BIO_free_all(pointer) }
}
