import Testing
import TestSupport

@testable import Decrypting

/// Keys do not leak.
@Suite struct SecretTests {
  @Test func neverPrinted() throws {
    let secret = try Secret(bytes: Array("correct horse!!!".utf8))
    let key = try RecordsKey(secret, keyID: [1])
    let signal = try StreamFormat.signal.seal("".utf8.span).key
    var dumped = ""
    for value in [
      secret, key, FileKey.records(key), KeyRecord.records(key), KeyRing(["k": .records(key)]), signal,
      try StreamFormat.xmpp.seal("".utf8.span).key, try P256PrivateKey.random(),
    ] as [Any] {
      dumped += "\(value) \(String(reflecting: value))\n"
      dump(value, to: &dumped)
    }
    #expect(dumped.contains("Secret"))
    #expect(!dumped.contains("correct") && !dumped.contains("99, 111, 114") && !dumped.contains("0x"))
    #expect(!dumped.contains(signal.secret.revealed()))
  }

  @Test func equality() throws {
    let secret = try Secret(bytes: [1, 2, 3])
    #expect(secret == (try Secret(bytes: [1, 2, 3])))
    #expect(secret != (try Secret(bytes: [1, 2, 4])))
    #expect(secret != (try Secret(bytes: [1, 2])))
    #expect(try Secret(bytes: []) == Secret(bytes: []))
  }

  @Test func parts() throws {
    let secret = try Secret(bytes: [1, 2, 3, 4])
    #expect(try secret.part(1..<3).bytes == [2, 3])
    #expect(try secret.part(4..<4).bytes == [])
    for range in [0..<5, -1..<2, 5..<6] { #expect(throws: DecryptingError.failed) { try secret.part(range) } }
  }

  @Test func randomOnesDiffer() throws {
    let secrets = try (0..<50).map { _ in try Secret.random(count: 32).bytes }
    #expect(Set(secrets).count == 50)
    #expect(secrets.allSatisfy { $0.count == 32 })
  }

  @Test(arguments: [16, 64])
  func wipedWhenGivenBack(_ count: Int) throws {
    let start = try unsafe #require(unsafe SecretMemory.allocate(count))
    unsafe start.initializeMemory(as: UInt8.self, repeating: 0xa5, count: count)
    unsafe SecretMemory.deallocate(start, count)
    // Slots stay mapped, so they can be read. Another test may have taken the slot meanwhile, but it writes
    // other bytes.
    let left = (0..<count).map { unsafe start.load(fromByteOffset: $0, as: UInt8.self) }
    #expect(left.count { $0 == 0xa5 } <= count / 4)
  }

  /// The flags of the pages in the kernel: locked, and excluded from core dumps.
  @Test(arguments: [32, 64, 65, 10_000])
  func pages(_ count: Int) throws {
    let start = try unsafe #require(unsafe SecretMemory.allocate(count))
    defer { unsafe SecretMemory.deallocate(start, count) }
    let flags = try Self.flags(ofPageAt: UInt(bitPattern: start))
    #expect(flags.contains("dd"))
    #expect(flags.contains("lo") || !Secret.areUnpageable)
  }

  @Test func slotsAreApart() throws {
    let secrets = try (0..<600).map { try Secret(bytes: [UInt8].pseudorandom(64, seed: UInt64($0))) }
    for (index, secret) in secrets.enumerated() {
      #expect(secret.bytes == .pseudorandom(64, seed: UInt64(index)))
    }
  }

  /// The flags in proc_pid_smaps(5).
  private static func flags(ofPageAt address: UInt) throws -> [Substring] {
    let text = String(decoding: try Files.read("/proc/self/smaps"), as: UTF8.self)
    var isInside = false
    for line in text.split(separator: "\n") {
      let bounds = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
      if bounds.count == 2 { isInside = bounds[0] <= address && address < bounds[1] }
      if isInside, line.hasPrefix("VmFlags:") { return line.split(separator: " ") }
    }
    return []
  }
}
