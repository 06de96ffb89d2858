import Testing

@testable import Sniffing

/// The names in the errors about refused bodies.
@Suite struct NameTests {
  static let texts: [(String, String)] = [
    ("<!doctype html><title>x</title>", "HTML page titled “x”"),
    (
      "<html><head><TITLE lang=en>\n Sign  in &amp; go\u{1b}\u{202e}</TITLE>",
      "HTML page titled “Sign in & go”"
    ),
    ("<html><title></title><body><input name=p type=\"password\">", "HTML login page"),
    (
      "<html><title>" + String(repeating: "ä", count: 99) + "</title>",
      "HTML page titled “" + String(repeating: "ä", count: 47) + "…”"
    ),
    ("<html><title>cut off", "HTML page"),
    ("\u{feff}\r\n  <!-- hello --><HTML>", "HTML page"),
    ("<div>502 Bad Gateway</div>", "HTML page"),
    ("<?php echo 1; ?><html>", "HTML page"),
    ("<?xml version=\"1.0\"?><!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"x\"><svg/>", "SVG image"),
    ("<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "SVG image"),
    ("<svg:svg xmlns:svg=\"http://www.w3.org/2000/svg\"/>", "SVG image"),
    (
      "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>",
      "XML error document with the code “AccessDenied”"
    ),
    ("<?xml version=\"1.0\"?><Error/>", "XML error document"),
    ("<?xml version=\"1.0\"?><rss version=\"2.0\"/>", "RSS feed"),
    ("<?xml version=\"1.0\"?><plist/>", "XML document"),
    ("{\"error\": 404}", "JSON error document with the code “404”"),
    ("{\"error\": {\"code\": \"NotFound\"}}", "JSON error document with the code “NotFound”"),
    ("{\"errors\": [\"a\"]}", "JSON error document"),
    ("{\"title\": \"x\", \"status\": 503}", "JSON error document with the code “503”"),
    ("{\"status\": \"ok\", \"code\": 200}", "JSON document"),
    ("[ {\"id\": 1} ]", "JSON document"),
    ("{}", "JSON document"),
    ("#EXTM3U\n#EXT-X-VERSION:3\n", "M3U playlist"),
    ("not found", "plain text"),
    ("< 3", "plain text"),
    ("The free lunch", "plain text"),
    ("ID3 tags are a way to say who sings.", "plain text"),
    ("RIFF", "RIFF header without content"),
    ("RIFF\u{4}\0\0\0\u{1}A\"~", "RIFF file of type “?A\"~”"),
    ("%PDF-1.7\n", "PDF document"),
    ("User-agent: *\nDisallow: /\n", "plain text"),
    ("--b\r\nContent-Type: text/plain\r\n\r\nhello\r\n", "multipart message"),
    ("HTTP/1.1 200 OK\r\nServer: x\r\n\r\n", "HTTP answer in a file"),
  ]

  @Test(arguments: texts)
  func name(of text: String, is name: String) throws {
    #expect(try Sniffer.shared.get().examine(Array(text.utf8)) == .rejected(name: name))
  }

  /// If it searched further, 4 KB of line breaks after that word would hold up the loop for 60 ms.
  @Test("regular expressions of libmagic search no more than 512 bytes", arguments: [1, 400, 600, 4_000])
  func regularExpressions(spaces: Int) throws {
    let line = "DATA" + String(repeating: " ", count: spaces) + "x 123 MD5 0123456789abcdef0123456789abcdef\n"
    let name = spaces < 512 ? "application/vnd.gentoo.manifest" : "plain text"
    #expect(try Sniffer.shared.get().examine(Array(line.utf8)) == .rejected(name: name))
  }

  /// 49 of these frames would hold up all transfers for 20 ms.
  @Test("libmagic skips no more than three empty zstd frames", arguments: [0, 1, 3, 4, 49])
  func frames(count: Int) throws {
    let frames = (0..<count).flatMap { _ in [UInt8]([0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]) }
    let bytes = frames + [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, 0, 4] + [UInt8](repeating: 0, count: 200)
    let name = count <= 3 ? "7-Zip archive" : "unknown data"
    #expect(try Sniffer.shared.get().examine(bytes) == .rejected(name: name))
  }

  @Test func textInUTF16() throws {
    let bytes: [UInt8] = [0xff, 0xfe] + "<html>".utf8.flatMap { [$0, 0] }
    #expect(try Sniffer.shared.get().examine(bytes) == .rejected(name: "HTML page"))
  }

  /// libmagic quotes bytes of the file. In messages, its text stays on one line.
  @Test func quotedBytesAreTamed() {
    let opinion = MagicOpinion(
      mimeType: nil, description: "a \u{1b}[31m script" + String(repeating: "x", count: 99))
    #expect(opinion.guessedName == "a ")
    #expect(MagicOpinion(mimeType: nil, description: "data").guessedName == nil)
    #expect(MagicOpinion(mimeType: "image/x-tga", description: nil).likelyName == "tga image")
    #expect(
      MagicOpinion(mimeType: "audio/mpeg", description: nil).likelyName == "damaged or unusual audio/mpeg")
  }

  /// A name for an accepted type would mean that the type is refused.
  @Test func noAcceptedTypeHasARefusal() {
    for format in MediaFormat.allCases {
      for mimeType in format.mimeTypes { #expect(MagicNames.names[mimeType] == nil) }
    }
  }
}
