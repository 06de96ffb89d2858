import Supporting
import Testing

@testable import Decrypting

/// Bytes as text.
@Suite struct TextTests {
  @Test(arguments: [
    ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
    ("foobar", "Zm9vYmFy"),
  ])
  func base64OfRFC4648(_ plain: String, _ text: String) throws {
    for alphabet in [BaseEncoding.base64, .base64URL] {
      #expect(try alphabet.decode(text) == Array(plain.utf8))
      #expect(alphabet.encode(plain.utf8.span) == text)
    }
  }

  @Test func everyCharacterOfBase64() throws {
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    for (alphabet, last) in [(BaseEncoding.base64, "+/"), (.base64URL, "-_")] {
      let all = Array((digits + last).utf8)
      for byte in UInt8.min..<0x80 {
        let text = String(UnicodeScalar(byte))
        let value = all.firstIndex(of: byte)
        // Two characters are one byte: the first has six of its bits, and the second here only
        // zeros.
        #expect((try? alphabet.decode(text + "A")) == value.map { [UInt8($0 << 2)] }, "\(byte)")
      }
      #expect(throws: DecryptingError.failed) { try alphabet.decode("éé") }
      for count in 0..<100 {
        let bytes = [UInt8].pseudorandom(count, seed: UInt64(count))
        #expect(try alphabet.decode(alphabet.encode(bytes.span)) == bytes)
      }
    }
  }

  @Test(arguments: [
    "A", "AAAAA", "AB", "AAB", "Zg==", "Zg=", "Zm9v\n", " Zm9v", "Zm9v=", "Zm\u{0}v", "Z===", "Zm9v====",
  ])
  func notCanonical(_ text: String) {
    #expect(throws: DecryptingError.failed) { try BaseEncoding.base64URL.decode(text) }
    #expect(throws: DecryptingError.failed) { try BaseEncoding.base64.decode(text) }
  }

  /// Python and Go pad; PHP and others have only the standard alphabet.
  @Test(arguments: ["-_8", "-_8=", "+/8", "+/8="]) func anyBase64(_ text: String) throws {
    #expect(try BaseEncoding.anyBase64.decode(text) == [0xfb, 0xff])
    #expect(try Secret(text: text.utf8.span).bytes == [0xfb, 0xff])
  }

  @Test(arguments: ["=", "==", "A===", "AA=", "AA=A", "AAA==", "AAAA=", "AAAA====", "Zm9v\n"])
  func notAnyBase64(_ text: String) {
    #expect(throws: DecryptingError.failed) { try BaseEncoding.anyBase64.decode(text) }
  }

  @Test func hexadecimal() throws {
    let bytes = Array(UInt8.min...UInt8.max)
    let text = String(hexadecimal: bytes.span)
    #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
    #expect(try [UInt8](hex: text) == bytes)
    #expect(try [UInt8](hex: text.uppercased()) == bytes)
    #expect(try Secret(hex: text).bytes == bytes)
    for byte in UInt8.min..<0x80 {
      let digit = Character(UnicodeScalar(byte))
      let value = digit.isASCII ? digit.hexDigitValue : nil
      #expect((try? [UInt8](hex: "0\(digit)")) == value.map { [UInt8($0)] }, "\(byte)")
      #expect((try? [UInt8](hex: "\(digit)0")) == value.map { [UInt8($0 * 16)] }, "\(byte)")
    }
    #expect(throws: DecryptingError.failed) { try [UInt8](hex: "0") }
  }

  /// The example in ZeroMQ's RFC 32.
  @Test func z85() throws {
    let bytes: [UInt8] = [0x86, 0x4f, 0xd2, 0x6f, 0xb5, 0x59, 0xf7, 0x5b]
    #expect(Z85.encode(bytes.span) == "HelloWorld")
    #expect(try Z85.decode("HelloWorld") == bytes)
    for count in 0..<40 {
      for bytes in [[UInt8].pseudorandom(count), filled(0xff, count), filled(0, count)] {
        #expect(try Z85.decode(Z85.encode(bytes.span)) == bytes)
      }
    }
  }

  /// Characters that are not digits, incomplete groups, and groups whose values are too large.
  @Test(arguments: ["0", "HelloW", "Hell,", "Hello World", "#####", "%nSc1", "3=", "##", "####", "Helloé"])
  func notZ85(_ text: String) {
    #expect(throws: DecryptingError.failed) { try Z85.decode(text) }
  }
}
