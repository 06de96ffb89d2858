internal import Decrypting
internal import Fetching

extension MediaRequest.Protection {
  /// The coding of RFC 8188.
  private static var coding: String { "aes128gcm" }

  /// The Content-Encoding that a server may give for the body, or nil if it may give none.
  var contentCoding: String? {
    switch self {
    case .undeclared(let ring): ring.isEmpty ? nil : Self.coding
    case .key(.records): Self.coding
    case .key, .unopenable: nil
    }
  }

  var mayBeEncrypted: Bool { if case .undeclared(let ring) = self { !ring.isEmpty } else { true } }

  /// A decryptor for this body, or nil if it is not encrypted. The payload overrides the server.
  func decryptor(for head: ResponseHead, pieceBytes: Int) throws(DecryptingError) -> MediaDecryptor? {
    let pieceBytes = max(pieceBytes, MediaDecryptor.defaultPieceBytes)
    return switch self {
    case .undeclared(let ring):
      head.isCoded(as: Self.coding) ? ring.makeDecryptor(pieceBytes: pieceBytes) : nil
    case .key(let key): try key.makeDecryptor(pieceBytes: pieceBytes)
    case .unopenable(let error): throw error
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
