import Decrypting
import Glibc
import Notifications
import Supporting
import TestSupport
import Testing

@testable import Enriching

@Suite("Key files")
struct KeyFileTests {
  private static let key = "yqdlZ-tYemfogSmv7Ws5PQ"
  private static let scalar = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"

  @Test("may have records of each format") func formats() throws {
    let text = """
      {"a":{"format":"aes128gcm","key":"\(Self.key)"},
       "b":{"format":"webpush","private-key":"\(Self.scalar)","auth":"\(Self.key)"},
       "c":{"format":"aesgcm","private-key":"\(Self.scalar)","auth":"\(Self.key)"},
       "d":{"format":"jwe","alg":"dir","enc":"A256GCM","key":"\(Self.scalar)"},
       "e":{"format":"jwe","alg":"ECDH-ES","enc":"A128CBC-HS256","private-key":"\(Self.scalar)","note":1}}
      """
    #expect(try KeyFile.records(in: Array(text.utf8), of: "FILE").keys.sorted() == ["a", "b", "c", "d", "e"])
    #expect(try KeyFile.records(in: Array("{}".utf8), of: "FILE").isEmpty)
  }

  static let mistakes: [String: String] = [
    #"{"a":{"key":"SECRET"}}"#: "key 'a' needs 'format', one of aes128gcm, webpush, aesgcm, jwe",
    #"{"a":{"format":"rot13","key":"SECRET"}}"#: "key 'a' needs 'format', one of",
    #"{"a":"SECRET"}"#: "key 'a' needs 'format', one of",
    #"{"a":{"format":"aes128gcm"}}"#: "key 'a' needs 'key', a string",
    #"{"a":{"format":"aes128gcm","key":["SECRET"]}}"#: "key 'a' needs 'key', a string",
    #"{"a":{"format":"aes128gcm","key":"SECRET"}}"#:
      "key 'a' needs a name of at most 255 bytes, and a key of at least 16 bytes",
    #"{"a":{"format":"aes128gcm","key":"SECRETSECRETSECRETSECRE\u0021"}}"#: "key 'a' needs a name of at most",
    #"{"a":{"format":"webpush","private-key":"SECRET","auth":"SECRET"}}"#:
      "key 'a' needs a private key of 32 bytes",
    #"{"a":{"format":"aesgcm","private-key":"SECRET"}}"#: "key 'a' needs 'auth', a string",
    #"{"a":{"format":"jwe","alg":"dir","key":"SECRET"}}"#:
      "key 'a' needs 'enc', one of A128GCM, A256GCM, A128CBC-HS256",
    #"{"a":{"format":"jwe","alg":"RSA1_5","enc":"A128GCM"}}"#: "key 'a' needs 'alg', dir or ECDH-ES",
    #"{"a":{"format":"jwe","alg":"dir","enc":"A128GCM","key":"SECRET"}}"#:
      "key 'a' needs 16 bytes in base64,",
    #"{"a":{"format":"jwe","alg":"ECDH-ES","enc":"A128GCM","private-key":"SECRET"}}"#:
      "key 'a' needs a private key",
    #"["SECRET"]"#: "write a JSON object like",
    #"{"a":SECRET}"#: "line 1, column 6 (byte 5): write a JSON object like",
    #"{"a":"SECRET"#: "line 1, column 13 (byte 12): write a JSON object like",
    "": "write a JSON object like",
    "\u{feff}{\"a\":\"SECRET\"}": "it starts with a byte order mark: save it as UTF-8 without one",
  ]

  @Test(
    "with a mistake are refused with what would be right, and without any part of a key",
    arguments: mistakes.keys.sorted())
  func mistake(text: String) throws {
    let error = try #require(
      throws: KeyFileError.self, performing: { try KeyFile.records(in: Array(text.utf8), of: "FILE") })
    #expect("\(error)".hasPrefix("FILE: "), "\(error)")
    #expect("\(error)".contains(try #require(Self.mistakes[text])), "\(error)")
    #expect(!"\(error)".contains("SECRE"), "\(error)")
  }

  @Test("may not have two keys with the same name") func duplicate() throws {
    let record = #"{"format":"aes128gcm","key":"\#(Self.key)"}"#
    #expect(throws: KeyFileError.duplicate(path: "FILE", keyID: "a")) {
      try KeyFile.records(in: Array(#"{"a":\#(record),"\u0061":\#(record)}"#.utf8), of: "FILE")
    }
  }

  @Test(
    "must be accessible to their owner only", arguments: [0o604, 0o620, 0o602, 0o610, 0o601, 0o777, 0o644])
  func exposed(mode: UInt32) async throws {
    try await withTemporaryDirectory { folder in
      let path = try folder.write(Array("{}".utf8), to: "keys.json")
      #expect(unsafe chmod(path, mode) == 0)
      #expect(throws: KeyFileError.exposed(path: path, .open(mode: mode))) { try KeyFile.read(path) }
      for fine: UInt32 in [0o600, 0o400, 0o700] {
        #expect(unsafe chmod(path, fine) == 0)
        #expect(try KeyFile.read(path).records.isEmpty)
      }
    }
  }

  /// A user who is not root cannot make files of root's. The test then checks that the user's own
  /// file is refused if its group can read it.
  @Test("that belong to root may be readable by a group of the user") func lent() async throws {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { folder in
        #expect(unsafe chmod(folder.path, 0o755) == 0)
        let path = try folder.write(Array("{}".utf8), to: "keys.json")
        guard geteuid() == 0 else {
          #expect(unsafe chmod(path, 0o440) == 0)
          #expect(throws: KeyFileError.exposed(path: path, .open(mode: 0o440))) { try KeyFile.read(path) }
          return
        }
        func error(mode: UInt32, group: UInt32, user: uid_t = 65_534) -> KeyFileError? {
          #expect(unsafe chown(path, 0, group) == 0 && chmod(path, mode) == 0)
          #expect(setegid(65_533) == 0 && seteuid(user) == 0)
          defer { #expect(seteuid(0) == 0 && setegid(0) == 0) }
          do throws(KeyFileError) { _ = try KeyFile.read(path) } catch { return error }
          return nil
        }
        // Root, too, gets its secrets with the group of `fsGroup`.
        for user: uid_t in [65_534, 0] {
          for mode: UInt32 in [0o440, 0o640] { #expect(error(mode: mode, group: 65_533, user: user) == nil) }
          for mode: UInt32 in [0o460, 0o450, 0o444, 0o441] {
            #expect(
              error(mode: mode, group: 65_533, user: user) == .exposed(path: path, .open(mode: mode)))
          }
        }
        #expect(error(mode: 0o440, group: 65_532) == .unreadable(path: path, detail: "Permission denied"))
      }
    }
  }

  @Test("that only the sandbox blocks were replaced, and the message says what to do") func replaced()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let path = try folder.write(Array("{}".utf8), to: "keys.json", mode: 0o600)
      for place in [path, folder.path] {
        #expect(
          SettingsFile.detail(EACCES, of: place)
            == "Permission denied, although its mode allows it: if it or its directory was replaced, restart push-enricher"
        )
        #expect(SettingsFile.detail(EIO, of: place) == "Input/output error")
      }
      #expect(SettingsFile.detail(EACCES, of: folder.path(of: "missing.json")) == "Permission denied")
    }
  }

  @Test("must be regular files") func noFile() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "keys.json")
      #expect(throws: KeyFileError.unreadable(path: path, detail: "No such file or directory")) {
        try KeyFile.read(path)
      }
      #expect(throws: KeyFileError.unreadable(path: folder.path, detail: "this is not a file")) {
        try KeyFile.read(folder.path)
      }
      // No process writes into this pipe, so opening it must not wait.
      #expect(unsafe mkfifo(path, 0o600) == 0)
      #expect(throws: KeyFileError.unreadable(path: path, detail: "this is not a file")) {
        try KeyFile.read(path)
      }
    }
  }

  @Test("must not be too long") func long() async throws {
    try await withTemporaryDirectory { folder in
      let path = try folder.write([UInt8](repeating: 32, count: 1_048_577), to: "keys.json")
      #expect(unsafe chmod(path, 0o600) == 0)
      #expect(throws: KeyFileError.tooLarge(path: path, maximum: 1_048_576)) { try KeyFile.read(path) }
    }
  }
}
