internal import COpenSSL
internal import Glibc

/// A self-signed certificate, with a new key that stays in memory.
@safe package struct ServerCertificate: ~Copyable {
  let certificate, key: OpaquePointer

  /// - Parameters:
  ///   - names: as in `DNS:localhost,IP:127.0.0.1` (`x509v3_config(5)`, subjectAltName).
  ///   - seconds: the certificate is valid for this long from now, and since this long ago, because clocks differ.
  ///     If 0, it expires at once. If negative, it is not valid yet.
  package init(for names: String, validFor seconds: Int = 86_400) throws(MisbehavingError) {
    var key: OpaquePointer?
    guard let certificate = unsafe openssl_self_signed(names, seconds, &key), let key = unsafe key else {
      throw .noCertificate
    }
    unsafe self.certificate = certificate
    unsafe self.key = key
  }

  deinit {
    unsafe X509_free(certificate)
    unsafe EVP_PKEY_free(key)
  }

  /// Writes the certificate, without its key, to a new PEM file for `--ca-file`.
  /// - Throws: `MisbehavingError.unwritable`, also if the file already exists.
  package func write(to path: String) throws(MisbehavingError) {
    guard let file = unsafe fopen(path, "wxe") else { throw .unwritable(path: path, code: errno) }
    let isWritten = unsafe PEM_write_X509(file, certificate) == 1
    guard unsafe fclose(file) == 0, isWritten else { throw .unwritable(path: path, code: errno) }
  }
}
