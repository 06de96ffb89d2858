package import CCurl
internal import COpenSSL
internal import Glibc
internal import Supporting

/// The certificates that connections trust, loaded once. libcurl would make a store for each
/// connection. Certificates in a directory are read when a connection first needs them, and kept.
@safe package final class TrustStore {
  private let store: OpaquePointer
  private let authorities: CertificateAuthorities
  /// The stamps of their files when these were last read.
  private var stamps: [FileStamp?]

  package init(_ authorities: CertificateAuthorities) throws(FetchError) {
    guard let store = unsafe X509_STORE_new() else {
      throw .resourcesExhausted(detail: "no memory for certificates")
    }
    unsafe self.store = store
    self.authorities = authorities
    // Taken before the files are read, so that a change in between shows later.
    stamps = authorities.stamps
    // As in libcurl, a trusted authority need not be self-signed.
    _ = unsafe X509_STORE_set_flags(store, UInt(X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN))
    if let directory = authorities.directory, unsafe X509_STORE_load_path(store, directory) != 1 {
      throw .tlsFailed(detail: "\(directory) cannot be used for certificates")
    }
    for file in authorities.files where unsafe X509_STORE_load_file(store, file) != 1 {
      throw .tlsFailed(detail: "\(file) holds no certificate that can be read")
    }
    if authorities.isEmpty { throw .tlsFailed(detail: CertificateAuthorities.none) }
  }

  deinit { unsafe X509_STORE_free(store) }

  /// Reads the files again if one of them was replaced and a server was not trusted: its authority may be in the
  /// new file. Blocks on the disk.
  /// - Parameter code: how a transfer ended.
  /// - Returns: nil if there is nothing new, or if it cannot be used.
  package func renewed(after code: CURLcode) -> TrustStore? {
    // If the authority has the same name and a new key, libcurl 7.88.1 reports the wrong signature as a TLS error.
    guard code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CONNECT_ERROR else { return nil }
    let stamps = authorities.stamps
    guard stamps != self.stamps else { return nil }
    self.stamps = stamps
    // Otherwise, a failure stays in OpenSSL's error queue of this thread, and the next TLS call reports it.
    defer { ERR_clear_error() }
    return try? TrustStore(authorities)
  }

  /// Makes a connection use this store, and take no more memory and work than it needs.
  /// - Parameter record: the most bytes that are sent at once. A request is shorter, an upload is not.
  package func use(in context: UnsafeMutableRawPointer?, record: Int = 2_048) -> CURLcode {
    guard let context = OpaquePointer(context) else { return CURLE_ABORTED_BY_CALLBACK }
    unsafe SSL_CTX_set1_cert_store(context, store)
    // A server's certificates take 3 to 10 KB. OpenSSL needs 12 times as much for them.
    let isSet = unsafe openssl_save_memory(context, record, 32_768) == 1 && openssl_save_work(context) == 1
    return isSet ? CURLE_OK : CURLE_OUT_OF_MEMORY
  }
}

/// The certificate authorities to trust: the system's, and those in one additional file.
package struct CertificateAuthorities: Sendable {
  /// In Debian, all are in the package ca-certificates.
  static let none = "this system has no certificate authorities"

  /// A directory of certificates (`openssl rehash`), read as needed. A bundle costs 20 ms, 0.8 MB.
  let directory: String?
  /// The system's bundle, if there is no such directory, and the user's file.
  let files: [String]

  var isEmpty: Bool { directory == nil && files.isEmpty }
  fileprivate var stamps: [FileStamp?] { files.map { FileStamp(of: $0) } }

  package init(adding extra: String?) throws(FetchError) {
    try self.init(
      adding: extra,
      directory: unsafe curl_default_certificate_directory().map { unsafe String(cString: $0) },
      bundle: unsafe curl_default_certificates().map { unsafe String(cString: $0) })
  }

  /// - Parameters:
  ///   - system: where the system's authorities are, if it has any: one by one, or in one file.
  init(adding extra: String?, directory system: String?, bundle: String?) throws(FetchError) {
    if let extra { try Self.check(extra) }
    directory = system.flatMap { DirectoryNames.haveCertificates(in: $0) ? $0 : nil }
    let needed = directory == nil ? bundle.flatMap { unsafe access($0, R_OK) == 0 ? $0 : nil } : nil
    files = [needed, extra].compactMap(\.self)
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
}
