import TestSupport
import Testing

@Suite("seal")
struct SealTests {
  @Test("reports errors with what would be right") func misuse() async throws {
    try await withTemporaryDirectory { folder in
      let keys = try KeyFile.copy(into: folder)
      let open = try folder.write(Array("{}".utf8), to: "open.json")
      let output = folder.path(of: "out")
      let rows: [([String], String, Int32, String)] = [
        (
          ["content", "--kid", "lost", "--keys", keys], "{}", 64,
          "--keys has no key 'lost'"
        ),
        (["content", "--kid", "a"], "{}", 64, "--keys has no key 'a'"),
        (
          ["content", "--kid", "a", "--keys", open], "{}", 64, "other than its owner have access (mode 644)"
        ),
        (["content", "--kid", "a", "--keys", "/nonexistent"], "{}", 64, "/nonexistent: No such file"),
        (
          ["content", "--kid", "dev-7f3a", "--keys", keys], "[]", 65,
          "the content is not a JSON object: write one like"
        ),
        (
          ["content", "--kid", "web", "--shape", "encrypted-data", "--keys", keys], "{}", 64,
          "the key 'web' does not fit: encrypted-data takes a key of the format aes128gcm"
        ),
        (
          ["content", "--kid", "dev-7f3a", "--shape", "toot-relay", "--keys", keys], "{}", 64,
          "the key 'dev-7f3a' does not fit: toot-relay takes a key of the format webpush or aesgcm"
        ),
        (
          ["content", "--kid", "account", "--shape", "enc", "--keys", keys], "{}", 64,
          "the key 'account' does not fit: enc takes a key of the format aes128gcm, webpush or jwe"
        ),
        (
          ["content", "--kid", "web", "--into", "/nonexistent", "--keys", keys], "{}", 64,
          "/nonexistent: No such"
        ),
        (
          ["media", "--kid", "web", "--keys", keys, "--url", "https://m", "--output", output, open], "", 64,
          "the key 'web' does not fit: media can only use keys of the format aes128gcm"
        ),
        (
          ["media", "--url", "https://m", "--output", "/nonexistent/a", open], "", 74,
          "/nonexistent/a: No such"
        ),
        (
          ["media", "--url", "https://m", "--output", output, "/nonexistent"], "", 64, "/nonexistent: No such"
        ),
      ]
      let urls = [
        ("https://m/a#b", "leave out '#'"), ("", "--url cannot be fetched: it has no scheme"),
        ("https://", "--url cannot be fetched"),
        ("file:///etc/hosts", "--url cannot be fetched"),
        ("https://u:p@m/a", "it carries a user name or password"),
      ]
      let long = "{\"body\":\"\(String(repeating: "a", count: 49_000))\"}"
      let all =
        rows
        + urls.map {
          (["media", "--url", $0.0, "--output", output, open], "", 64, $0.1)
        } + [
          (
            ["media", "--format", "aesgcm", "--url", "http://m", "--output", output, open], "", 64,
            "https:// only"
          ),
          (["content", "--kid", "dev-7f3a", "--keys", keys], long, 64, "but 64 KiB at most are taken"),
        ]
      for (words, input, status, says) in all {
        let run = try await PushEnricher.run(["seal"] + words, input: Array(input.utf8))
        #expect(run.termination == .exited(status), "\(words)")
        #expect(run.standardError.contains(says), "\(words): \(run.standardError)")
        #expect(run.standardOutput == [])
      }
      #expect(!Files.exists(output))
    }
  }

  @Test("refuses to encrypt a file into itself, by any path, and replaces the contents of another file")
  func overwriting()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let photo = try Files.read("\(Fixtures.media)/photo.jpg")
      let path = try folder.write(photo, to: "photo.jpg")
      func seal(into output: String) async throws -> Run {
        try await PushEnricher.run(["seal", "media", "--url", "https://m", "--output", output, path])
      }
      let other = "\(folder.path)/./photo.jpg"
      let same = try await seal(into: other)
      #expect(same.termination == .exited(64))
      #expect(
        same.standardError == "push-enricher: --output \(other): this is the file to encrypt: name another\n")
      #expect(same.standardOutput == [])
      #expect(try Files.read(path) == photo)
      let output = folder.path(of: "photo.enc")
      #expect(try await seal(into: output).termination == .exited(0))
      let size = try Files.size(of: output)
      try folder.write([UInt8](repeating: 0, count: 2 * size), to: "photo.enc")
      #expect(try await seal(into: output).termination == .exited(0))
      #expect(try Files.size(of: output) == size)
    }
  }

  @Test("makes a different ciphertext each time") func fresh() async throws {
    try await withTemporaryDirectory { folder in
      let sealing = try Sealing(folder)
      for kid in ["dev-7f3a", "web", "account", "phone", "jwe-direct", "jwe-agreed"] {
        #expect(try await sealing.payload("{}", for: kid) != sealing.payload("{}", for: kid))
      }
    }
  }
}
