internal import Foundation

#if canImport(CryptoKit)
  internal import CryptoKit

  struct SHA256Digest: Sendable {
    private var hash = SHA256()

    mutating func update(_ data: Data) { hash.update(data: data) }
    func finish() -> [UInt8] { Array(hash.finalize()) }
  }
#else
  /// SHA-256 (FIPS 180-4 section 6.2) for systems without CryptoKit.
  struct SHA256Digest: Sendable {
    private static let constants: [UInt32] = [
      0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
      0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
      0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
      0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
      0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
      0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
      0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
      0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]

    private var state: [UInt32] = [
      0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    /// Less than a block of 64 bytes.
    private var rest: [UInt8] = []
    private var length: UInt64 = 0

    mutating func update(_ data: Data) {
      length += UInt64(data.count)
      rest += data
      var start = 0
      while rest.count - start >= 64 {
        mix(start)
        start += 64
      }
      rest.removeFirst(start)
    }

    func finish() -> [UInt8] {
      var last = self
      let bits = length &* 8
      let zeros = (119 - rest.count % 64) % 64
      last.update(Data([0x80] + Array(repeating: 0, count: zeros) + bits.bigEndianBytes))
      return last.state.flatMap(\.bigEndianBytes)
    }

    private mutating func mix(_ start: Int) {
      var w = [UInt32](repeating: 0, count: 64)
      for i in 0..<16 {
        w[i] = (0..<4).reduce(0) { $0 << 8 | UInt32(rest[start + i * 4 + $1]) }
      }
      for i in 16..<64 {
        let (a, b) = (w[i - 15], w[i - 2])
        let s0 = a.rotated(7) ^ a.rotated(18) ^ a >> 3
        let s1 = b.rotated(17) ^ b.rotated(19) ^ b >> 10
        w[i] = w[i - 16] &+ s0 &+ w[i - 7] &+ s1
      }
      var v = state
      for i in 0..<64 {
        let s1 = v[4].rotated(6) ^ v[4].rotated(11) ^ v[4].rotated(25)
        let choice = v[4] & v[5] ^ ~v[4] & v[6]
        let t1 = v[7] &+ s1 &+ choice &+ Self.constants[i] &+ w[i]
        let s0 = v[0].rotated(2) ^ v[0].rotated(13) ^ v[0].rotated(22)
        let majority = v[0] & v[1] ^ v[0] & v[2] ^ v[1] & v[2]
        v = [t1 &+ s0 &+ majority, v[0], v[1], v[2], v[3] &+ t1, v[4], v[5], v[6]]
      }
      for i in 0..<8 { state[i] &+= v[i] }
    }
  }

  extension UInt32 {
    fileprivate func rotated(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
  }

  extension FixedWidthInteger {
    fileprivate var bigEndianBytes: [UInt8] {
      stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }
  }
#endif
