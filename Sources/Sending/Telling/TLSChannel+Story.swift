internal import COpenSSL

extension TLSChannel {
  /// The version and the server's certificate, after the handshake.
  var story: String {
    let version = unsafe String(cString: SSL_get_version(tls))
    guard let certificate = unsafe SSL_get1_peer_certificate(tls) else { return version }
    defer { unsafe X509_free(certificate) }
    let owner = unsafe Self.commonName(X509_get_subject_name(certificate))
    let issuer = unsafe Self.commonName(X509_get_issuer_name(certificate))
    let words = [owner.map { "certificate of \($0)" }, issuer.map { "issued by \($0)" }].compactMap(\.self)
    return ([version] + words).joined(separator: ", ")
  }

  private static func commonName(_ name: OpaquePointer?) -> String? {
    var text = [CChar](repeating: 0, count: 128)
    let count = unsafe X509_NAME_get_text_by_NID(name, NID_commonName, &text, Int32(text.count))
    guard count > 0 else { return nil }
    return String(decoding: text.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
