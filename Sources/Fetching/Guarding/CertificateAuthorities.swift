internal import CCurl
internal import Glibc
internal import Supporting

/// The certificate authorities to trust: the system's, and perhaps those of one more file.
struct CertificateAuthorities: Sendable {
  /// A directory of single certificates under the hashes of their subjects (`openssl rehash`), of which a
  /// connection reads the one or two that it needs. The bundle of all takes 20 ms and 0.8 MB.
  let directory: String?
  /// A PEM file, read whole.
  let file: String?

  /// - Parameter extra: a PEM file, beside the system's authorities.
  /// - Throws: `FetchError.tlsFailed` if it cannot be read or has no certificate in it.
  init(adding extra: String?) throws(FetchError) {
    if let extra { try Self.check(extra) }
    let system = unsafe curl_default_certificate_directory().map { unsafe String(cString: $0) }
    if let system, Self.isHashed(system) {
      directory = system
      file = extra
    } else {
      // A system without the directory has a bundle, or none: then the user's file stands alone.
      directory = nil
      file = extra ?? (unsafe curl_default_certificates().map { unsafe String(cString: $0) })
    }
  }

  private static func check(_ path: String) throws(FetchError) {
    var status = stat()
    var holdsCertificate = false
    if unsafe stat(path, &status) != 0 || status.st_mode.isRegularFile {
      guard let file = unsafe fopen(path, "re") else {
        throw .tlsFailed(detail: "\(path): \(String(errno: errno))")
      }
      defer { unsafe fclose(file) }
      var line = [CChar](repeating: 0, count: 256)
      while !holdsCertificate, unsafe fgets(&line, Int32(line.count), file) != nil {
        holdsCertificate = unsafe strncmp(line, "-----BEGIN CERTIFICATE-----", 27) == 0
      }
    }
    guard holdsCertificate else { throw .tlsFailed(detail: "\(path) holds no certificate in PEM form") }
  }

  /// Whether there is any `0123abcd.0` in it.
  private static func isHashed(_ path: String) -> Bool {
    guard var names = DirectoryNames(path: path) else { return false }
    while let name = names.next() {
      if name.hasSuffix(".0") { return true }
    }
    return false
  }
}
