internal import CCurl
internal import CLinux
internal import Glibc

/// The certificate authorities to trust: the system's bundle, and perhaps one more file.
struct CertificateAuthorities: Sendable {
  /// A PEM file that libcurl can read for as long as this value lives.
  let path: String
  private let combined: Combined?

  /// - Parameter extra: a PEM file, beside the system's authorities.
  /// - Throws: `FetchError.tlsFailed` when a file cannot be read or has no certificate in it.
  init(adding extra: String?) throws(FetchError) {
    let system = unsafe curl_default_certificates().map { unsafe String(cString: $0) }
    guard let extra else {
      guard let system else { throw .tlsFailed(detail: "libcurl names no bundle of certificate authorities") }
      path = system
      combined = nil
      return
    }
    // libcurl takes one file, and keeps what it read only for a file: so both are put into one that has no name.
    let combined = try Combined()
    // A machine without the system's bundle is fine when there is a file of its own.
    if let system { _ = try? combined.append(contentsOf: system) }
    guard try combined.append(contentsOf: extra).contains("-----BEGIN CERTIFICATE-----") else {
      throw .tlsFailed(detail: "\(extra) holds no certificate in PEM form")
    }
    self.combined = combined
    path = "/proc/self/fd/\(combined.descriptor)"
  }

  private final class Combined: Sendable {
    let descriptor: Int32

    init() throws(FetchError) {
      descriptor = unsafe memory_file("certificate-authorities")
      guard descriptor >= 0 else { throw .resourcesExhausted(detail: "no file descriptor left") }
    }

    deinit { close(descriptor) }

    func append(contentsOf path: String) throws(FetchError) -> String {
      guard let file = unsafe fopen(path, "re") else {
        throw .tlsFailed(detail: "\(path): \(unsafe String(cString: strerror(errno)))")
      }
      defer { unsafe fclose(file) }
      var text = ""
      var buffer = [UInt8](repeating: 0, count: 16_384)
      while true {
        let count = unsafe fread(&buffer, 1, buffer.count, file)
        guard count > 0 else { break }
        guard unsafe write(descriptor, buffer, count) == count else {
          throw .resourcesExhausted(detail: "no memory for the certificate authorities")
        }
        text += String(decoding: buffer[..<count], as: UTF8.self)
      }
      _ = unsafe write(descriptor, "\n", 1)
      return text
    }
  }
}
