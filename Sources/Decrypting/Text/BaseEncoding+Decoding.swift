package import Supporting

extension BaseEncoding {
  package func decode(_ text: String) throws(DecryptingError) -> [UInt8] { try decode(text.utf8.span) }

  func decode(_ text: Span<UInt8>) throws(DecryptingError) -> [UInt8] {
    guard let bytes = bytes(of: text) else { throw .failed }
    return bytes
  }
}
