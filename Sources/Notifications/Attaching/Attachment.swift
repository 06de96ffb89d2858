/// A stored file, as the app on the device finds it in the payload.
package struct Attachment: Equatable, Sendable {
  package let identifier: String
  /// Where the app finds the file.
  package let url: String
  /// The uniform type identifier of its bytes.
  package let type: String
  /// The size in bytes.
  package let size: Int
  /// The digest of the file, in lower-case hexadecimal digits.
  package let sha256: String
  package let options: AttachmentOptions

  package init(
    identifier: String, url: String, type: String, size: Int, sha256: String,
    options: AttachmentOptions = .init()
  ) {
    self.identifier = identifier
    self.url = url
    self.type = type
    self.size = size
    self.sha256 = sha256
    self.options = options
  }
}

extension Attachment: JSONWritable {
  package func write(to writer: inout JSONWriter) {
    writer.object {
      $0.member("identifier", identifier)
      $0.member("url", url)
      $0.member("type", type)
      $0.member("size", size)
      $0.member("sha256", sha256)
      $0.member("options", options.isEmpty ? nil : options)
    }
  }
}
