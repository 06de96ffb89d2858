import Decrypting
import Sniffing
import Storing
import TestSupport
import Testing

@testable import Enriching
@testable import Fetching

/// Whatever happens to an encrypted file, there is one error, and nothing in the store.
@Suite("MediaIntake of encrypted media")
struct EncryptedIntakeTests {
  private static let failed = Failure(.decryptFailed, "the encrypted data could not be decrypted")

  @Test("keeps the plaintext", arguments: MediaEncryptionFormat.allCases, [1, 7, 16_384])
  func whole(format: MediaEncryptionFormat, piece: Int) async throws {
    let (file, medium) = try Sealed.medium(Sealed.gif, format)
    try await withStore { store, folder in
      let committed = try Self.take(file, medium, into: store, by: piece)
      #expect(committed.format == .gif)
      #expect(folder.names == [committed.file.name])
      #expect(try Files.read(folder.path(of: committed.file.name)) == Sealed.gif)
    }
  }

  @Test("refuses every truncation", arguments: MediaEncryptionFormat.allCases)
  func truncated(format: MediaEncryptionFormat) async throws {
    let (file, medium) = try Sealed.medium(Sealed.gif, format)
    try await withStore { store, folder in
      for count in 0..<file.count {
        #expect(throws: Self.failed, "\(count)") {
          try Self.take(Array(file.prefix(count)), medium, into: store)
        }
      }
      #expect(folder.names == [])
    }
  }

  /// The record size of a single record (bytes 16 to 19) is not authenticated.
  @Test("refuses every flipped bit", arguments: MediaEncryptionFormat.allCases)
  func flipped(format: MediaEncryptionFormat) async throws {
    let (file, medium) = try Sealed.medium(Sealed.gif, format)
    let free = format == .aes128gcm ? 16..<20 : 0..<0
    try await withStore { store, folder in
      for bit in 0..<file.count * 8 where !free.contains(bit / 8) {
        #expect(throws: Self.failed, "\(bit)") { try Self.take(file.flipping(bit: bit), medium, into: store) }
      }
      #expect(folder.names == [])
    }
  }

  @Test(
    "refuses bytes after the end", arguments: MediaEncryptionFormat.allCases, [1, 15, 16, 17, 32, 5_000])
  func trailing(format: MediaEncryptionFormat, count: Int) async throws {
    let (file, medium) = try Sealed.medium(Sealed.gif, format)
    try await withStore { store, folder in
      for tail in [[UInt8](repeating: 0, count: count), Array(file.suffix(count))] {
        #expect(throws: Self.failed) { try Self.take(file + tail, medium, into: store) }
      }
      #expect(folder.names == [])
    }
  }

  @Test("refuses records that are swapped, dropped, repeated, or from another file") func records()
    async throws
  {
    let key = try Sealed.recordsKey()
    let medium = try Sealed.medium(Sealed.gif, .aes128gcm, keyID: "dev-7f3a").request
    let plaintext = Sealed.gif
    for size in [18, 19, 30, Int(UInt32.max)] {
      let header = 21 + 8
      let file = try RecordsSealer(key, recordSize: size).seal(plaintext.span)
      let other = try RecordsSealer(key, recordSize: size).seal(plaintext.span)
      let records = stride(from: header, to: file.count, by: size).map {
        Array(file[$0..<min($0 + size, file.count)])
      }
      try await withStore { store, folder in
        let committed = try Self.take(file, medium, into: store)
        #expect(committed.format == .gif)
        Files.remove(folder.path(of: folder.names[0]))
        func refuses(_ records: [[UInt8]], _ what: String) {
          #expect(throws: Self.failed, "\(what), of \(size)") {
            try Self.take(Array(file.prefix(header)) + records.joined(), medium, into: store)
          }
        }
        for index in records.indices {
          var changed = records
          changed.remove(at: index)
          refuses(changed, "dropped \(index)")
          changed = records
          changed.insert(records[index], at: index)
          refuses(changed, "repeated \(index)")
          if index > 0 {
            changed = records
            changed.swapAt(index, index - 1)
            refuses(changed, "swapped \(index)")
          }
        }
        #expect(throws: Self.failed) {
          try Self.take(Array(file.prefix(header)) + other.dropFirst(header), medium, into: store)
        }
        #expect(folder.names == [])
      }
    }
  }

  /// The server sees how far a transfer gets. That must not depend on the decrypted bytes.
  @Test(
    "receives the whole body before it says what it is",
    arguments: [MediaEncryptionFormat.matrix, .aesgcm, .signal])
  func late(format: MediaEncryptionFormat) async throws {
    let page = Array("<!DOCTYPE html><html><title>404</title>".utf8) + [UInt8](repeating: 32, count: 20_000)
    let (file, medium) = try Sealed.medium(page, format)
    try await withStore { store, folder in
      for (bytes, reason) in [(file, Reason.typeUnsupported), (file.flipping(bit: 200), .decryptFailed)] {
        let intake = try Self.intake(medium, store)
        #expect(Self.begin(intake, length: bytes.count) == .more)
        for start in stride(from: 0, to: bytes.count, by: 1_000) {
          #expect(intake.receive(bytes[start..<min(start + 1_000, bytes.count)].span) == .more)
          #expect(intake.format == nil)
        }
        let failure = #expect(throws: Failure.self) { try intake.commit() }
        #expect(failure?.reason == reason)
      }
      #expect(folder.names == [])
    }
  }

  @Test("judges the size once it is authentic", arguments: MediaEncryptionFormat.allCases)
  func size(format: MediaEncryptionFormat) async throws {
    var limits = SizeLimits()
    limits.image = Sealed.gif.count - 1
    limits.audio = 1_000
    limits.video = 1_000
    let (file, medium) = try Sealed.medium(Sealed.gif, format)
    let (long, longMedium) = try Sealed.medium(Sealed.gif + [UInt8](repeating: 0, count: 2_000), format)
    try await withStore { store, folder in
      for (file, medium) in [(file, medium), (long, longMedium)] {
        let failure = #expect(throws: Failure.self) {
          try Self.take(file, medium, into: store, limits: limits)
        }
        #expect(failure?.reason == .bodyTooLarge)
        let last = file.count * 8 - 1
        #expect(throws: Self.failed) {
          try Self.take(file.flipping(bit: last), medium, into: store, limits: limits)
        }
      }
      #expect(folder.names == [])
    }
  }

  private func withStore(_ body: (DirectoryStore, TemporaryDirectory) throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      var settings = StoreSettings()
      settings.isDurable = false
      try body(try DirectoryStore(path: folder.path, settings), folder)
    }
  }

  private static let sniffer = Result { () throws(SnifferError) in try Sniffer() }

  private static func intake(
    _ medium: MediaRequest, _ store: DirectoryStore, limits: SizeLimits = SizeLimits()
  ) throws -> MediaIntake {
    MediaIntake(
      spools: store.spools, sniffer: try sniffer.get(), limits: limits,
      memory: MemoryMonitor(total: .max), protection: medium.protection)
  }

  /// Receives a whole transfer and commits it.
  private static func take(
    _ file: [UInt8], _ medium: MediaRequest, into store: DirectoryStore, by piece: Int = 33,
    limits: SizeLimits = SizeLimits()
  ) throws -> (file: StoredFile, format: MediaFormat) {
    let intake = try intake(medium, store, limits: limits)
    guard begin(intake, length: file.count) == .more else { throw intake.failure ?? failed }
    for start in stride(from: 0, to: file.count, by: piece) {
      guard intake.receive(file[start..<min(start + piece, file.count)].span) == .more else {
        throw intake.failure ?? Failure(.deadlineExceeded, "it stopped for no reason")
      }
    }
    return try intake.commit()
  }

  private static func begin(_ intake: MediaIntake, length: Int) -> BodyDecision {
    var head = ResponseHead()
    for line in ["HTTP/1.1 200", "Content-Length: \(length)", ""] {
      _ = try? head.read(Array(line.utf8).span)
    }
    return intake.begin(head)
  }
}
