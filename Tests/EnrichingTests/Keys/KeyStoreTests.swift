import Decrypting
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Enriching

@Suite("Keys that change while they are used")
struct KeyStoreTests {
  @Test("are read again, and the next payload uses the new ones") func changed() async throws {
    try await withKeys(["a"]) { folder, told in
      let store = try KeyStore(.file(folder.path(of: "keys.json")), warn: told.warn)
      #expect(await names(store) == ["a"])
      for round in 0..<20 {
        try write(["b\(round % 3)"], to: "keys.json", in: folder)
        #expect(await names(store, of: ["a", "b0", "b1", "b2"]) == ["b\(round % 3)"])
      }
      #expect(told.lines == [])
    }
  }

  @Test("are read again when another file takes the name of their file") func renamed() async throws {
    try await withKeys(["a"]) { folder, told in
      let store = try KeyStore(.file(folder.path(of: "keys.json")), warn: told.warn)
      try write(["b"], to: "next", in: folder)
      #expect(unsafe rename(folder.path(of: "next"), folder.path(of: "keys.json")) == 0)
      #expect(await names(store) == ["b"])
    }
  }

  @Test("stay in use if the new file is invalid, and a warning says so") func damaged() async throws {
    try await withKeys(["a"]) { folder, told in
      let path = folder.path(of: "keys.json")
      let store = try KeyStore(.file(path), warn: told.warn)
      try folder.write(Array("{".utf8), to: "keys.json")
      #expect(await names(store) == ["a"])
      #expect(await names(store) == ["a"])
      #expect(told.lines.count == 1)
      #expect(told.lines.first?.hasPrefix("the old keys stay in use: \(path): line 1") == true)
      Files.remove(path)
      #expect(await names(store) == ["a"])
      #expect(
        told.lines.last == "the old keys stay in use: \(path): No such file or directory")
      try write(["b"], to: "keys.json", in: folder)
      #expect(await names(store) == ["b"])
    }
  }

  @Test("stay in use if other users could have written the new file") func exposed() async throws {
    try await withKeys(["a"]) { folder, told in
      let store = try KeyStore(.file(folder.path(of: "keys.json")), warn: told.warn)
      try write(["b"], to: "keys.json", in: folder)
      #expect(unsafe chmod(folder.path(of: "keys.json"), 0o666) == 0)
      #expect(await names(store) == ["a"])
      #expect(told.lines.last?.contains("users other than its owner have access (mode 666)") == true)
    }
  }

  @Test("of a directory are the keys of all its files") func directory() async throws {
    try await withKeys(["a"]) { folder, told in
      try write(["b"], to: "more.json", in: folder)
      try write(["hidden"], to: ".hidden.json", in: folder)
      try write(["other"], to: "other.txt", in: folder)
      let store = try KeyStore(.directory(folder.path), warn: told.warn)
      #expect(await names(store, of: ["a", "b", "hidden", "other"]) == ["a", "b"])
      try write(["c"], to: "third.json", in: folder)
      Files.remove(folder.path(of: "keys.json"))
      #expect(await names(store) == ["b", "c"])
      try write(["b"], to: "fourth.json", in: folder)
      #expect(await names(store) == ["b", "c"])
      #expect(told.lines.last?.hasSuffix("there are two keys with the name 'b'") == true)
    }
  }

  @Test("must be readable and valid at the start") func start() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "keys.json")
      let error = KeyFileError.unreadable(path: path, detail: "No such file or directory")
      #expect(throws: error) { try KeyStore(.file(path)) { _ in } }
      var settings = EnrichmentSettings()
      settings.keys = .file(path)
      #expect(throws: SetupError.keys(error)) { try Enricher(settings: settings) }
    }
  }

  private func withKeys(
    _ names: [String], _ body: (TemporaryDirectory, Told) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      try write(names, to: "keys.json", in: folder)
      try await body(folder, Told())
    }
  }

  private func write(_ names: [String], to file: String, in folder: TemporaryDirectory) throws {
    let records = names.map { #""\#($0)":{"format":"aes128gcm","key":"yqdlZ-tYemfogSmv7Ws5PQ"}"# }
    let path = try folder.write(Array("{\(records.joined(separator: ","))}".utf8), to: file)
    #expect(unsafe chmod(path, 0o600) == 0)
  }

  /// Returns the candidates that are in the store.
  private func names(_ store: KeyStore, of candidates: [String] = ["a", "b", "c"]) async -> [String] {
    let ring = await store.ring()
    return candidates.filter { (try? ring.record($0)) != nil }
  }

  /// The warnings, apart from the one about the machine's limit on locked memory.
  private final class Told: Sendable {
    private let all = Mutex<[String]>([])

    var warn: @Sendable (String) -> Void { { line in self.all.withLock { $0.append(line) } } }
    var lines: [String] { all.withLock { $0.filter { !$0.contains("ulimit") } } }
  }
}
