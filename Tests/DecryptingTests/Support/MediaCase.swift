@testable import Decrypting

/// A way to encrypt a file that the decryptors are held against.
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
    case .matrix:
      let sealed = try MatrixSealer.seal(plaintext.span, key: Self.secret(32), salt: .pseudorandom(8))
      return (sealed.file, .matrix(sealed.key))
    case .xmpp: return try xmpp(plaintext, iv: 12)
    case .xmppWithLongIV: return try xmpp(plaintext, iv: 16)
    case .signal: return try signal(plaintext, padding: 0)
    case .signalWithPadding: return try signal(plaintext, padding: 541)
    }
  }

  /// Octets that nothing vouches for, because nothing depends on them: of a body of one record, how large
  /// others might have been.
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

  private func xmpp(_ plaintext: [UInt8], iv: Int) throws -> (file: [UInt8], key: FileKey) {
    let sealed = try XMPPSealer.seal(plaintext.span, key: Self.secret(32), iv: .pseudorandom(iv))
    return (sealed.file, .xmpp(sealed.key))
  }

  private func signal(_ plaintext: [UInt8], padding: Int) throws -> (file: [UInt8], key: FileKey) {
    let sealed = try SignalSealer.seal(
      plaintext.span, keys: Self.secret(64), iv: .pseudorandom(16), padding: padding)
    return (sealed.file, .signal(sealed.key))
  }

  private static func secret(_ count: Int) throws -> Secret {
    try Secret(bytes: .pseudorandom(count, seed: 7))
  }
}

extension FileKey {
  /// Decrypts `file`, which arrives in pieces of these sizes, over and over.
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
