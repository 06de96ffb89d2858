internal import COpenSSL
internal import Glibc
internal import Queueing
internal import Supporting

/// A client certificate for APNs, with its key and its chain, in a PEM file.
struct ClientCertificate: Sendable {
  let file: String
  /// The topics that it may send to. The first one is the app's bundle id.
  let topics: [String]
  /// The end of its validity, in seconds since 1970.
  let end: Int

  /// - Throws: `QueueError.refused` if the file cannot be used.
  init(file: String) throws(QueueError) {
    let (topics, end) = try Self.read(file) { (identity) throws(CredentialFault) in
      (identity.topics, identity.end)
    }
    guard !topics.isEmpty else {
      throw .refused(
        "the certificate file \(file) cannot be used: its certificate names no app: use one of the kind “Apple Push Services”"
      )
    }
    (self.file, self.topics, self.end) = (file, topics, end)
  }

  /// Reads the file again, which may have changed, and gives it to `context`, an `SSL_CTX`.
  @unsafe func use(in context: OpaquePointer) throws(QueueError) {
    try Self.read(file) { (identity) throws(CredentialFault) in
      guard
        unsafe SSL_CTX_use_cert_and_key(context, identity.certificate, identity.key, identity.chain, 1) == 1
      else {
        throw CredentialFault("TLS does not take it", "its key is too short, or its signature too weak")
      }
    }
  }

  private static func read<Content>(
    _ path: String, _ body: (Identity) throws(CredentialFault) -> Content
  ) throws(QueueError) -> Content {
    try CredentialFile.read(path, "certificate") { (bytes) throws(CredentialFault) in
      try body(try Identity(pem: bytes))
    }.content
  }
}

/// The contents of the file.
@safe private final class Identity {
  let certificate, key, chain: OpaquePointer

  init(pem: [UInt8]) throws(CredentialFault) {
    let text = String(decoding: pem, as: UTF8.self)
    guard text.contains("-----BEGIN CERTIFICATE-----") else {
      throw CredentialFault(
        "it has no -----BEGIN CERTIFICATE-----",
        "convert a .p12 with openssl pkcs12 -legacy -nodes -in FILE -out NEW")
    }
    guard text.contains("PRIVATE KEY-----") else {
      throw CredentialFault("the key of its certificate is missing", "put both into one file")
    }
    guard !text.contains("ENCRYPTED") else {
      throw CredentialFault(
        "its key has a password",
        "write the key without it with openssl pkey -in FILE -out KEY, and put the certificate and KEY into one file"
      )
    }
    let found = unsafe pem.withUnsafeBytes { unsafe Self.find(in: $0) }
    guard let found = unsafe found else {
      throw CredentialFault("its certificate or key is damaged", "export it again")
    }
    unsafe (certificate, key, chain) = found
    guard unsafe X509_check_private_key(certificate, key) == 1 else {
      throw CredentialFault("its key belongs to another certificate", "put the right one first")
    }
    guard unsafe X509_cmp_current_time(X509_get0_notAfter(certificate)) > 0 else {
      throw CredentialFault("its certificate has expired", "create a new one in the developer account")
    }
  }

  deinit {
    unsafe X509_free(certificate)
    unsafe EVP_PKEY_free(key)
    unsafe Self.free(chain)
  }

  /// The first certificate, the others, and the key.
  private static func find(
    in pem: UnsafeRawBufferPointer
  ) -> (OpaquePointer, OpaquePointer, OpaquePointer)? {
    let certificates = unsafe OpenSSLText(pem)
    let keys = unsafe OpenSSLText(pem)
    // Without this function, OpenSSL would ask for a password on the terminal.
    let key = unsafe PEM_read_bio_PrivateKey(keys.pointer, nil, { _, _, _, _ in -1 }, nil)
    let certificate = unsafe PEM_read_bio_X509(certificates.pointer, nil, { _, _, _, _ in -1 }, nil)
    let chain = unsafe OPENSSL_sk_new_null()
    guard let key = unsafe key, let certificate = unsafe certificate, let chain = unsafe chain else {
      unsafe EVP_PKEY_free(key)
      unsafe X509_free(certificate)
      unsafe OPENSSL_sk_free(chain)
      return nil
    }
    while let next = unsafe PEM_read_bio_X509(certificates.pointer, nil, { _, _, _, _ in -1 }, nil) {
      unsafe OPENSSL_sk_push(chain, UnsafeRawPointer(next))
    }
    return unsafe (certificate, key, chain)
  }

  private static func free(_ chain: OpaquePointer) {
    while let next = unsafe OPENSSL_sk_pop(chain) { unsafe X509_free(OpaquePointer(next)) }
    unsafe OPENSSL_sk_free(chain)
  }

  /// The topics from Apple's extension, or from the subject's UID if there is no extension.
  var topics: [String] {
    guard let name = unsafe OBJ_txt2obj("1.2.840.113635.100.6.3.6", 1) else { return [] }
    defer { unsafe ASN1_OBJECT_free(name) }
    let place = unsafe X509_get_ext_by_OBJ(certificate, name, -1)
    if place >= 0, let data = unsafe X509_EXTENSION_get_data(X509_get_ext(certificate, place)) {
      let bytes = unsafe UnsafeBufferPointer(
        start: ASN1_STRING_get0_data(data), count: Int(ASN1_STRING_length(data)))
      return unsafe CertificateTopics.read(Array(bytes)) ?? []
    }
    var text = [CChar](repeating: 0, count: 256)
    let subject = unsafe X509_get_subject_name(certificate)
    let count = unsafe X509_NAME_get_text_by_NID(subject, NID_userId, &text, Int32(text.count))
    guard count > 0 else { return [] }
    return [String(decoding: text.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)]
  }

  /// The end of its validity, in seconds since 1970. 0 if it cannot be read.
  var end: Int {
    var parts = unsafe tm()
    guard unsafe ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &parts) == 1 else { return 0 }
    return unsafe timegm(&parts)
  }
}
