/// FNV-1a with 64 bits (draft-eastlake-fnv section 2): tells apart what nobody has forged.
package enum FNV1a {
  package static func hash(_ bytes: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01b3 }
    return hash
  }
}
