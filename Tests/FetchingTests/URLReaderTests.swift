@testable import Fetching
import TestSupport
import Testing

@Suite("URLReader")
struct URLReaderTests {
  static let firsts = [
    "https://media.example/a.jpg", "http://media.example:80/", "https://media.example:8443/x",
    "HTTPS://Media.Example", "https://bücher.example/a", "http://127.1/a", "http://[2001:DB8::0001]:8443/a",
    "https://media.example.:443/", "https://media.exam/",
  ]

  @Test("reads URLs like libcurl's parser, whether or not they resemble an earlier one", arguments: firsts)
  func same(first: String) throws {
    let reader = URLReader()
    let root = try reader.read(first).root.text
    // Everything that has a meaning in a URL, and characters that only look like it.
    let alphabet = [
      "/", "/", ".", ".", "..", "?", "#", "%", "%2e", "%2F", "@", ":", "\\", " ", "ü", "\t", "\u{7f}", "&=",
      "<\"^`{|}>", "[", "%4", "a", "0",
    ]
    var random = SeededGenerator(seed: 1)
    var (plain, refused) = (0, 0)
    for _ in 0..<4_000 {
      let rest = (0..<Int.random(in: 0...7, using: &random)).map { _ in
        alphabet.randomElement(using: &random)!
      }
      let text = root + (Bool.random(using: &random) ? "/" : "") + rest.joined()
      let url = Result { () throws(FetchError) in try RemoteURL(text) }
      #expect(Result { () throws(FetchError) in try reader.read(text) } == url, "\(text)")
      if (try? url.get().text) == text { plain += 1 }
      if (try? url.get()) == nil { refused += 1 }
    }
    #expect(plain > 100)
    #expect(refused > 100)
  }

  @Test("reads the same scheme and authority only once", arguments: firsts)
  func once(first: String) throws {
    let reader = URLReader()
    // From the second read on, it is remembered as it is written now.
    let root = try reader.read(reader.read(first).root.text + "/").root
    for target in ["/", "/a", "/a/b.jpg?c=d", "/-._~!$&'()*+,;=:@/?a?b%2F/"] {
      let url = try reader.read(root.text + target)
      #expect(url.root === root)
      #expect(url.target == target)
      #expect(try url == RemoteURL(root.text + target))
    }
  }

  @Test("remembers the last eight origins") func few() throws {
    let reader = URLReader()
    let roots = try (0..<8).map { try reader.read("https://\($0).example/").root }
    // The oldest becomes the newest.
    #expect(try reader.read("https://0.example/a").root === roots[0])
    let ninth = try reader.read("https://8.example/").root
    #expect(try reader.read("https://0.example/b").root === roots[0])
    #expect(try reader.read("https://8.example/a").root === ninth)
    #expect(try reader.read("https://2.example/a").root === roots[2])
    #expect(try reader.read("https://1.example/a").root !== roots[1])
    // These start with another origin.
    let longer = try reader.read("https://0.example.org/").root
    let shorter = try reader.read("https://0.example.or/").root
    #expect(try reader.read("https://0.example.org/a").root === longer)
    #expect(try reader.read("https://0.example.or/a").root === shorter)
  }

  @Test(
    "an origin that libcurl decodes or maps does not affect URLs that are written like the result",
    arguments: ["https://%31%32%37.1/", "https://１２７.1/", "https://127。1/", "https://Media.Example/"])
  func mapped(first: String) throws {
    let reader = URLReader()
    let root = try reader.read(first).root
    for text in ["https://127.1/a", "https://127.0.0.1/a", "https://Media.Example/a"] {
      #expect(try reader.read(text) == RemoteURL(text))
    }
    let isKept = first == root.text + "/"
    #expect(try (reader.read(root.text + "/a").root === root) == isKept)
  }

  @Test("refuses a URL that is too long, even if it starts like an earlier one") func long() throws {
    let reader = URLReader()
    let root = try reader.read("https://media.example/").root.text
    let longest = root + "/" + String(repeating: "a", count: 8_000 - root.utf8.count - 1)
    #expect(try reader.read(longest).text == longest)
    #expect(throws: FetchError.urlInvalid(detail: "it is longer than 8000 bytes")) {
      try reader.read(longest + "a")
    }
  }
}
