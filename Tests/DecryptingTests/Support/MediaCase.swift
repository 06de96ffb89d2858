@testable import Decrypting

/// A way to encrypt a file, for tests of the decryptors.
enum MediaCase: String, CaseIterable, Sendable {
  case records, recordsOf18, recordsOf19, recordsOf4GiB, recordsWithPadding, recordsWithName
  case matrix, xmpp, xmppWithLongIV, signal, signalWithPadding

  func seal(_ plaintext: [UInt8]) throws -> (file: [UInt8], key: FileKey) {
    switch self {
    case .records: return try records(plaintext, size: 100)
    case .recordsOf18: return try records(plaintext, size: 18)
    case .recordsOf19: return try records(plaintext, size: 19, padding: 1)
    case .recordsOf4GiB: return try records(plaintext, size: Int(UInt32.max), padding: 50)
    case .recordsWithPadding: return try records(plaintext, size: 64, padding: 30)
    case .recordsWithName: return try records(plaintext, size: 4_096, name: Array("m1".utf8))
    case .matrix: return try stream(.matrix, plaintext, iv: .pseudorandom(8) + filled(0, 8))
    case .xmpp: return try stream(.xmpp, plaintext, iv: .pseudorandom(12))
    case .xmppWithLongIV: return try stream(.xmpp, plaintext, iv: .pseudorandom(16))
    case .signal: return try stream(.signal, plaintext, iv: .pseudorandom(16))
    case .signalWithPadding: return try stream(.signal, plaintext, iv: .pseudorandom(16), padding: 541)
    }
  }

  /// Bytes that are not authenticated because nothing depends on them: the record size of a body
  /// with a single record.
  var unauthenticated: Range<Int> {
    switch self {
    case .recordsOf4GiB, .recordsWithName: 16..<20
    default: 0..<0
    }
  }

  private func records(
    _ plaintext: [UInt8], size: Int, padding: Int = 0, name: [UInt8]? = nil
  ) throws -> (file: [UInt8], key: FileKey) {
    let key = try RecordsKey(Self.secret(16), keyID: name ?? [])
    let sealer = try RecordsSealer(key, recordSize: size, salt: .pseudorandom(16))
    return (try sealer.seal(plaintext.span, padding: padding), .records(key))
  }

  private func stream(
    _ format: StreamFormat, _ plaintext: [UInt8], iv: [UInt8], padding: Int = 0
  ) throws -> (file: [UInt8], key: FileKey) {
    let sealed = try format.seal(
      (plaintext + filled(0, padding)).span, secret: Self.secret(format.keyCount), iv: iv)
    guard padding > 0 else { return (sealed.file, .stream(sealed.key)) }
    let key = try StreamKey(
      format, sealed.key.secret, digest: sealed.key.digest, size: plaintext.count)
    return (sealed.file, .stream(key))
  }

  private static func secret(_ count: Int) throws -> Secret {
    try Secret(bytes: .pseudorandom(count, seed: 7))
  }
}

extension FileKey {
  /// Decrypts `file`, which arrives in pieces of these sizes, repeated as needed.
  func open(_ file: [UInt8], pieces: [Int] = [16_384]) throws -> [UInt8] {
    var decryptor = try makeDecryptor()
    var plaintext: [UInt8] = []
    var rest = file.span
    var turn = 0
    while !rest.isEmpty {
      let piece = rest.extracting(first: min(rest.count, pieces[turn % pieces.count]))
      try decryptor.update(piece) { plaintext.append(contentsOf: $0) }
      rest = rest.extracting(droppingFirst: piece.count)
      turn += 1
    }
    try decryptor.finish { plaintext.append(contentsOf: $0) }
    return plaintext
  }
}
