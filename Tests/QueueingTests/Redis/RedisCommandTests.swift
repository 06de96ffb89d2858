#if Redis
  import Testing

  @testable import Queueing
  @testable import RedisQueueing

  /// The bytes that are sent to Redis (redis.io/docs/reference/protocol-spec).
  @Suite("Commands for Redis")
  struct RedisCommandTests {
    private func bytes(of command: RedisCommand, digests: [ObjectIdentifier: String] = [:]) -> [UInt8] {
      var bytes: [UInt8] = []
      command.write(to: &bytes, digests: digests)
      return bytes
    }

    private func text(of command: RedisCommand, digests: [ObjectIdentifier: String] = [:]) -> String {
      String(decoding: bytes(of: command, digests: digests), as: UTF8.self)
    }

    @Test("the length of a word is in bytes")
    func words() {
      var command = RedisCommand("", "é", "\(Int.min)")
      command.append([0x0D, 0x0A])
      command.append("a long word")
      command.append(escaped: ByteEscapedText.text(Array("ü".utf8)))
      #expect(
        text(of: command) == "*6\r\n$0\r\n\r\n$2\r\né\r\n$20\r\n-9223372036854775808\r\n"
          + "$2\r\n\r\n\r\n$11\r\na long word\r\n$2\r\nü\r\n")
      var escaped = RedisCommand()
      escaped.append(escaped: ByteEscapedText.text([0x80, 0xFF]))
      #expect(bytes(of: escaped) == Array("*1\r\n$2\r\n".utf8) + [0x80, 0xFF, 0x0D, 0x0A])
    }

    @Test("a script is sent by its digest if Redis has it, and as text otherwise")
    func scripts() {
      let command = RedisCommand(.tidy, keys: ["one", "two"], ["x"])
      let rest = "$1\r\n2\r\n$3\r\none\r\n$3\r\ntwo\r\n$1\r\nx\r\n"
      let script = RedisScript.tidy.text
      #expect(text(of: command) == "*6\r\n$4\r\nEVAL\r\n$\(script.utf8.count)\r\n\(script)\r\n\(rest)")
      #expect(
        text(of: command, digests: [ObjectIdentifier(RedisScript.tidy): "ab"])
          == "*6\r\n$7\r\nEVALSHA\r\n$2\r\nab\r\n\(rest)")
    }

    @Test(
      "the reserved size is enough for a command with the digest of its script",
      arguments: [0, 1, 1_000, 8_000])
    func size(count: Int) {
      let command = RedisCommand(.settle, keys: ["one"], Array(repeating: "", count: count))
      let digests = [ObjectIdentifier(RedisScript.settle): String(repeating: "a", count: 40)]
      #expect(bytes(of: command, digests: digests).count <= command.size)
    }

    private func settlement(_ stream: String, _ group: String, _ entry: String) -> RedisSettlement {
      RedisSettlement(
        stream: stream, group: group, receipt: RedisReceipt(entry: entry, consumer: "c", count: 3),
        mayBeCut: false,
        publications: [(Message(id: "m", body: [0x62, 0xFF], headers: [Header("name", "value")]), "out")])
    }

    @Test("in settlements, the publications follow the receipts, and name a key by its index")
    func settlements() {
      let command = RedisCommand.settle([settlement("in", "g", "1-2"), settlement("in", "g", "1-3")])
      var expected = RedisCommand("EVALSHA", "ab", "2", "in", "out", "g")
      for entry in ["1-2", "1-3"] {
        for word in [entry, "c", "3", "0", "1", "2", "6", "id", "m", "body"] { expected.append(word) }
        expected.append([0x62, 0xFF])
        expected.append("name")
        expected.append("value")
      }
      #expect(
        bytes(of: command, digests: [ObjectIdentifier(RedisScript.settle): "ab"]) == bytes(of: expected))
    }

    @Test("settlements of one stream and group share a script, 64 at most")
    func shared() {
      let kinds = [("a", "g"), ("b", "g"), ("a", "h"), ("a", "g")].map { settlement($0.0, $0.1, "1-1") }
      #expect(RedisSettlement.scripts(for: kinds) == [[0, 3], [1], [2]])
      let many = Array(repeating: kinds[0], count: 130)
      #expect(RedisSettlement.scripts(for: many) == [Array(0..<64), Array(64..<128), [128, 129]])
    }

    @Test("a receipt is read as it was written")
    func receipt() throws {
      let receipt = try #require(RedisReceipt("1690000000000-12/push-enricher-a1/3"))
      #expect(receipt.entry == "1690000000000-12")
      #expect(receipt.consumer == "push-enricher-a1")
      #expect(receipt.count == 3)
      #expect(receipt.text == "1690000000000-12/push-enricher-a1/3")
      #expect(RedisReceipt("1-1//1")?.consumer == "")
    }

    @Test(
      "an invalid receipt is refused",
      arguments: [
        "", "/", "//", "1-2", "1-2/c", "1-2/c/", "1-2/c/x", "1-2-3/c/1", "1/c/1", "1-/c/1", "-1/c/1",
        "a-1/c/1", "1--0/c/1", "+1-1/c/1", "1-+1/c/1", "1-1/a/b/1", "99999999999999999999-1/c/1",
      ])
    func noReceipt(text: String) { #expect(RedisReceipt(text) == nil) }
  }
#endif
