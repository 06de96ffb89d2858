internal import Queueing

/// A client certificate with its key and chain in a PEM file.
struct ClientCertificate: Sendable {
  /// The topics that it may send to. The first is the app's bundle id.
  let topics: [String]
  /// The end of its validity, in seconds since 1970.
  let end: Int

  init(file: String) throws(QueueError) {
    throw .refused("")
  }

  /// Reads the file again, and gives its certificate, key and chain to an `SSL_CTX`.
  @unsafe func use(in context: OpaquePointer) throws(QueueError) {}
}
