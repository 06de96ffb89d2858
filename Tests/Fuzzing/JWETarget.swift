@testable import Decrypting

/// JWEs in the compact serialization, with the keys of the seeds.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe Input(start, count)
  _ = try? JWEHeader(json: input.bytes)
  guard let ring = try? ring() else { return 0 }
  for name in ["gcm", "cbc", "ecdh"] {
    _ = try? ring.open(jwe: input.text, keyID: name)
  }
  return 0
}

private func ring() throws -> KeyRing {
  let secret = try { () throws -> Secret in
    let bytes = [UInt8](repeating: 7, count: 32)
    return try Secret(bytes.span)
  }()
  return KeyRing([
    "gcm": .jwe(try JWEKey(shared: secret, .a256GCM)),
    "cbc": .jwe(try JWEKey(shared: secret, .a128CBCHS256)),
    "ecdh": .jwe(JWEKey(agreement: try P256PrivateKey(scalar: secret), .a128GCM)),
  ])
}
