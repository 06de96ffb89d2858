internal import COpenSSL

extension [UInt8] {
  /// Overwrites what is there, for plaintext and key files that had to be read as a whole.
  ///
  /// In place only where nobody else holds the array: what was made of it has to be gone before.
  package mutating func wipe() {
    unsafe withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
  }
}
