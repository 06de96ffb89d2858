internal import Decrypting
internal import Fetching

extension MediaRequest.Protection {
  /// The name of RFC 8188's coding.
  private static var coding: String { "aes128gcm" }

  /// What a server may say in Content-Encoding of such a body.
  var contentCoding: String? {
    switch self {
    case .unsaid(let ring): ring.isEmpty ? nil : Self.coding
    case .key(.records): Self.coding
    case .key, .sealed: nil
    }
  }

  var mayBeEncrypted: Bool {
    switch self {
    case .unsaid(let ring): !ring.isEmpty
    case .key, .sealed: true
    }
  }

  /// What decrypts a body with this head; nil for one that is not encrypted.
  ///
  /// What the payload calls encrypted is, whatever the server says of it.
  /// - Throws: `DecryptingError.failed`.
  func decryptor(for head: ResponseHead, pieceBytes: Int) throws(DecryptingError) -> MediaDecryptor? {
    let pieceBytes = max(pieceBytes, MediaDecryptor.defaultPieceBytes)
    return switch self {
    case .unsaid(let ring): head.isCoded(as: Self.coding) ? ring.makeDecryptor(pieceBytes: pieceBytes) : nil
    case .key(let key): try key.makeDecryptor(pieceBytes: pieceBytes)
    case .sealed(let error): throw error
    }
  }
}

extension Failure {
  init(_ error: MediaDecryptionError<Failure>) {
    switch error {
    case .decrypting(let error): self.init(error)
    case .sink(let failure): self = failure
    }
  }
}
