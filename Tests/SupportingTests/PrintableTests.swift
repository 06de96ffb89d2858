import Supporting
import TestSupport
import Testing

@Suite("Text that people read")
struct PrintableTests {
  @Test(
    "keeps printable characters as they are",
    arguments: ["", "a b~", "Zoë", "写真", "שלום", "صورة", "🖼", "é", "e\u{301}"])
  func plain(text: String) { #expect(text.printable == text) }

  @Test(
    "has an escape for each character that is invisible or misleading",
    arguments: [
      // C0, DEL and C1.
      (0x00, #"\0"#), (0x07, #"\u{07}"#), (0x0A, #"\n"#), (0x1B, #"\u{1B}"#), (0x7F, #"\u{7F}"#),
      (0x9B, #"\u{009B}"#),
      // Characters that change the direction of text.
      (0x61C, ""), (0x200E, ""), (0x200F, ""), (0x202A, ""), (0x202B, ""), (0x202C, ""), (0x202D, ""),
      (0x202E, #"\u{202E}"#), (0x2066, ""), (0x2067, ""), (0x2068, ""), (0x2069, ""), (0x206A, ""),
      // Characters without a width.
      (0xAD, ""), (0x34F, ""), (0x180E, ""), (0x200B, ""), (0x200C, ""), (0x200D, ""), (0x2060, ""),
      (0x2062, ""), (0xFE00, ""), (0xFE0F, ""), (0xFEFF, #"\u{FEFF}"#), (0xFFF9, ""), (0xE0001, ""),
      (0xE0061, ""),
      (0xE0100, ""), (0x1D173, ""),
      // Characters that look like a space or a line break.
      (0x85, #"\u{0085}"#), (0xA0, #"\u{00A0}"#), (0x1680, ""), (0x2000, ""), (0x2003, ""),
      (0x2028, #"\u{2028}"#),
      (0x2029, ""), (0x202F, ""), (0x205F, ""), (0x2800, ""), (0x3000, ""), (0x115F, ""), (0x3164, ""),
      (0xFFA0, ""),
      // Characters without a meaning.
      (0xE000, ""), (0x10FE80, ""), (0xFDD0, ""), (0xFFFE, ""), (0x10FFFF, ""),
    ] as [(UInt32, String)])
  func escaped(value: UInt32, escape: String) throws {
    let scalar = try #require(Unicode.Scalar(value))
    let shown = "a\(String(scalar))b".printable
    #expect(shown == "a\(escape.isEmpty ? scalar.escaped(asASCII: true) : escape)b")
    #expect(shown.utf8.allSatisfy { 0x20...0x7E ~= $0 })
    #expect(!scalar.isPrintable)
  }

  @Test("does not change when it is escaped again") func twice() {
    let text = "moc.\u{202E}example\u{0}".printable
    #expect(text.printable == text)
  }
}
