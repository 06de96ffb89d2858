import Dispatch
import Glibc
import Supporting
import TestSupport
import Testing

@Suite("Helpers that all modules share") struct SupportingTests {
  private struct Refusal: Error, Equatable {}

  @Test("a blocking call runs on its queue, and its result or error comes back")
  func runs() async throws {
    let queue = DispatchQueue(label: "push-enricher.test")
    let isThere = await queue.run {
      dispatchPrecondition(condition: .onQueue(queue))
      return true
    }
    #expect(isThere)
    await #expect(throws: Refusal()) {
      try await queue.run { () throws(Refusal) in throw Refusal() }
    }
  }

  @Test("SHA-256 has the results of FIPS 180-4, whole and in pieces")
  func hashes() {
    let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    let whole = SHA256.digest(of: "abc".utf8.span)
    #expect(whole.map { String(hexadecimal: $0.span) } == expected)
    guard var digest = SHA256() else {
      Issue.record("OpenSSL has no SHA-256")
      return
    }
    for piece in ["a", "", "bc"] { digest.update(piece.utf8.span) }
    let pieced = digest.finish()
    #expect(pieced == whole)
  }

  @Test("FNV-1a has the results of its draft, appendix C")
  func checksums() {
    #expect(FNV1a.hash("".utf8.span) == 0xcbf2_9ce4_8422_2325)
    #expect(FNV1a.hash("a".utf8.span) == 0xaf63_dc4c_8601_ec8c)
    #expect(FNV1a.hash("foobar".utf8.span) == 0x8594_4171_f739_67e8)
  }

  @Test("hexadecimal text has two lowercase digits for each byte")
  func encodes() {
    let bytes: [UInt8] = [0, 9, 10, 15, 16, 0x9F, 0xA0, 255]
    #expect(String(hexadecimal: bytes.span) == "00090a0f109fa0ff")
    #expect(String(hexadecimal: [UInt8]().span) == "")
  }

  @Test("ASCII bytes are classified as in Unicode")
  func classifies() {
    for byte in UInt8.min...UInt8.max {
      let scalar = UnicodeScalar(byte)
      let isLetter = scalar.isASCII && scalar.properties.isAlphabetic
      let isDigit = scalar.isASCII && scalar.properties.numericType == .decimal
      #expect(byte.isASCIILetter == isLetter, "\(byte)")
      #expect(byte.isASCIIDigit == isDigit, "\(byte)")
      #expect(byte.isUnreserved == (isLetter || isDigit || "-._~".utf8.contains(byte)), "\(byte)")
      let lower = scalar.isASCII ? scalar.properties.lowercaseMapping.utf8.first : byte
      #expect(byte.lowercasedASCII == lower, "\(byte)")
    }
  }

  @Test("only an IPv6 address is put into brackets")
  func brackets() {
    #expect("::1".bracketingIPv6 == "[::1]")
    #expect("127.0.0.1".bracketingIPv6 == "127.0.0.1")
    #expect("media.example".bracketingIPv6 == "media.example")
  }

  @Test("durations are truncated to whole units")
  func cuts() {
    #expect(Duration.nanoseconds(1_999_999).milliseconds == 1)
    #expect(Duration.nanoseconds(1_999_999).microseconds == 1_999)
    #expect(Duration.seconds(30).microseconds == 30_000_000)
    #expect(Duration.nanoseconds(-1_999_999).milliseconds == -1)
  }

  @Test("all units of the clock show the same time")
  func agrees() {
    let before = WallClock.nanoseconds
    #expect((WallClock.milliseconds - Int64(before / 1_000_000)) < 60_000)
    #expect(WallClock.seconds - Double(before) / 1e9 < 60)
    #expect(WallClock.timestamp.wholeMatch(of: /20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ/) != nil)
  }

  @Test("a directory lists all names, and the error of a missing one says why")
  func lists() async throws {
    try await withTemporaryDirectory { folder in
      for name in ["a", ".b"] { try folder.write([], to: name) }
      var found: Set<String> = []
      if var names = DirectoryNames(path: folder.path) {
        while let name = names.next() { found.insert(name) }
      }
      #expect(found == [".", "..", "a", ".b"])
      if DirectoryNames(path: folder.path(of: "c")) == nil {
        let code = errno
        #expect(code == ENOENT)
      } else {
        Issue.record("a missing directory was opened")
      }
    }
  }

  @Test("a short file is read up to a number of bytes")
  func reads() async throws {
    try await withTemporaryDirectory { folder in
      try folder.write(Array("abcdef".utf8), to: "a")
      #expect(readShortFile(folder.path(of: "a"), maximum: 4) == Array("abcd".utf8))
      #expect(readShortFile(folder.path(of: "a"), maximum: 10) == Array("abcdef".utf8))
      for (path, expected) in [(folder.path, EISDIR), (folder.path(of: "b"), ENOENT)] {
        let (bytes, code) = (readShortFile(path, maximum: 10), errno)
        #expect(bytes == nil && code == expected)
      }
    }
  }

  @Test("a path is resolved through links, and files are distinguished from directories")
  func resolves() async throws {
    try await withTemporaryDirectory { folder in
      try folder.write([], to: "a")
      #expect(unsafe symlink("a", folder.path(of: "link")) == 0)
      #expect(realPath(of: folder.path(of: "link")) == realPath(of: folder.path).map { "\($0)/a" })
      #expect(realPath(of: folder.path(of: "b")) == nil)
      var status = stat()
      #expect(unsafe stat(folder.path(of: "link"), &status) == 0 && status.st_mode.isRegularFile)
      #expect(unsafe stat(folder.path, &status) == 0 && !status.st_mode.isRegularFile)
    }
  }
}
