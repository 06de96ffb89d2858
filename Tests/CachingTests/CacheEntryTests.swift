@testable import Caching
import Testing

@Suite("CacheEntry")
struct CacheEntryTests {
  private static let now = FreshnessTests.now
  private static let validators = [
    "etag": [#"W/"v1""#], "last-modified": ["Thu, 27 Oct 1994 08:49:37 GMT"],
    "cache-control": ["max-age=60"],
  ]

  @Test("an entry is fresh for its lifetime, but not before it was made, which means that the clock was set")
  func fresh() throws {
    let entry = try CacheEntry.of("https://a.example/")
    #expect(entry.isFresh(at: Self.now))
    #expect(entry.isFresh(at: Self.now + 59_999))
    #expect(!entry.isFresh(at: Self.now + 60_000))
    #expect(!entry.isFresh(at: Self.now - 1))
    #expect(!entry.isFresh(at: .max))
    #expect(!entry.isFresh(at: .min))
  }

  /// Layout 1 had zeros in place of the facts. They would read as a picture without a size, to which no limit
  /// of pixels applies. The checksum leaves the mark out, so this is a valid entry of that layout.
  @Test("an entry of the layout before the facts is not read") func layout() throws {
    let entry = try CacheEntry.of("https://a.example/")
    var bytes = entry.bytes(used: 1)
    #expect(CacheEntry.read(bytes[...])?.entry == entry)
    #expect(bytes.prefix(8) == [0x70, 0x75, 0x73, 0x68, 0, 0, 0, 2])
    bytes[7] = 1
    #expect(CacheEntry.read(bytes[...]) == nil)
  }

  @Test("an entry is revalidated with the validators that it has") func conditions() throws {
    #expect(try CacheEntry.of("https://a.example/").conditions == [])
    #expect(
      try CacheEntry.of("https://a.example/", Self.validators).conditions == [
        #"If-None-Match: W/"v1""#, "If-Modified-Since: Thu, 27 Oct 1994 08:49:37 GMT",
      ])
  }

  @Test(
    "an invalid ETag is not sent back",
    arguments: [
      "v1", #""v1"#, "\"v\r\n1\"", #""a b""#, "\"a\u{7f}\"", #""ü""#, #""a"b""#, "", #"w/"v1""#, "W/", #"""#,
      "\"" + String(repeating: "x", count: 119) + "\"",
    ])
  func tags(tag: String) throws {
    #expect(try CacheEntry.of("https://a.example/", ["etag": [tag]]).conditions == [])
  }

  @Test("an entry takes new fields from a 304, and keeps the rest (RFC 9111, section 4.3.4)")
  func renewed() throws {
    let entry = try CacheEntry.of("https://a.example/", Self.validators)
    func renewed(_ fields: [String: [String]]) throws -> CacheEntry? {
      Reuse(
        of: [Response(status: 304, fields: fields)], requested: Self.now + 100_000,
        received: Self.now + 100_000,
        previous: entry
      ).map { entry.renewed($0) }
    }
    let same = try #require(try renewed([:]))
    #expect(same.isFresh(at: Self.now + 159_999))
    #expect(!same.isFresh(at: Self.now + 160_000))
    #expect(same.conditions == entry.conditions)
    #expect(same.file == entry.file)
    let shorter = try #require(try renewed(["cache-control": ["max-age=5"], "etag": [#""v1""#]]))
    #expect(shorter.isFresh(at: Self.now + 104_999))
    #expect(!shorter.isFresh(at: Self.now + 105_000))
    #expect(shorter.conditions.first == #"If-None-Match: "v1""#)
    let never = try #require(try renewed(["cache-control": ["no-cache"]]))
    #expect(!never.isFresh(at: Self.now + 100_000))
    #expect(try renewed(["cache-control": ["no-store"]]) == nil)
    // This 304 is about another version than the stored one.
    #expect(try renewed(["etag": [#""v2""#]]) == nil)
  }

  @Test("an entry with a past Expires does not become fresh by a 304 without a new one")
  func expired() throws {
    let entry = try CacheEntry.of(
      "https://a.example/", ["expires": ["Sun, 06 Nov 1994 08:59:37 GMT"], "etag": [#""v1""#]])
    #expect(entry.isFresh(at: Self.now + 599_999))
    let reuse = Reuse(
      of: [Response(status: 304, fields: [:])], requested: Self.now + 700_000, received: Self.now + 700_000,
      previous: entry)
    #expect(reuse?.freshness.rest == 0)
  }

  /// The stored fields, the fields of a 304 a day later, and how long the entry is fresh then, in
  /// seconds; nil if it must not be renewed.
  static let renewals: [([String: String], [String: String], Int64?)] = [
    (["cache-control": "no-cache"], ["expires": "Wed, 09 Nov 1994 08:49:37 GMT"], 0),
    (["cache-control": "max-age=60"], ["expires": "Wed, 09 Nov 1994 08:49:37 GMT"], 60),
    (["cache-control": "max-age=0", "last-modified": FreshnessTests.tenDaysAgo], ["pragma": "x"], 0),
    (["cache-control": "max-age=60"], ["pragma": "no-cache"], 60),
    (["cache-control": "max-age=0"], ["cache-control": "max-age=60"], 60),
    (["expires": "0", "last-modified": FreshnessTests.tenDaysAgo], ["cache-control": "public"], 0),
    (["expires": "0", "last-modified": FreshnessTests.tenDaysAgo], ["pragma": "x"], 0),
    (["expires": "0", "last-modified": FreshnessTests.tenDaysAgo], [:], 0),
    (["expires": "0"], ["expires": "Tue, 08 Nov 1994 08:49:37 GMT"], 86_400),
    (["expires": "0"], ["cache-control": "max-age=60"], 60),
    (["last-modified": FreshnessTests.tenDaysAgo], ["cache-control": "public"], 86_400),
    (["last-modified": FreshnessTests.tenDaysAgo], ["expires": "0"], 0),
    (["last-modified": FreshnessTests.tenDaysAgo], ["pragma": "no-cache"], 0),
    (["cache-control": "max-age=60"], ["etag": #""v1""#], nil),
    (["cache-control": "max-age=60"], ["etag": #"W/"v1""#], 60),
  ]

  @Test("an entry takes only the fields of a 304 that are in it", arguments: renewals)
  func merged(stored: [String: String], fields: [String: String], rest: Int64?) throws {
    let entry = try CacheEntry.of("https://a.example/", stored.mapValues { [$0] })
    let later = Self.now + 86_400_000
    let reuse = Reuse(
      of: [Response(status: 304, fields: fields.mapValues { [$0] })], requested: later, received: later,
      previous: entry)
    #expect(reuse?.freshness.rest == rest.map { $0 * 1_000 })
  }

  @Test("an entry is the same after a round trip through bytes, with and without optional parts") func bytes()
    throws
  {
    for entry in [
      try CacheEntry.of("https://a.example/", Self.validators), try CacheEntry.of("b", [:], contentType: nil),
      try CacheEntry.of("c", contentType: String(repeating: "é", count: 60)),
    ] {
      let bytes = entry.bytes(used: 42)
      #expect(bytes.count == CacheEntry.length)
      let read = try #require(CacheEntry.read(bytes[...]))
      #expect(read.entry == entry)
      #expect(read.used == 42)
    }
    // An unreasonably long label is not kept.
    let long = try CacheEntry.of("d", contentType: String(repeating: "x", count: 121)).bytes(used: 42)
    #expect(try #require(CacheEntry.read(long[...])).entry.file.contentType == nil)
  }

  @Test("an entry with the longest texts does not reach into the next one") func longest() throws {
    let text = "\"" + String(repeating: "x", count: CacheEntry.maximumText - 2) + "\""
    let entry = try CacheEntry.of(
      "https://a.example/", ["cache-control": ["max-age=60"], "etag": [text]])
    let file = CachedFile(
      name: String(repeating: "ab", count: 32) + ".aiff", size: .max, format: "mp4 other-codec",
      contentType: text, numbers: SIMD4(repeating: .max))
    let longest = CacheEntry(
      url: entry.url, source: entry.source, policy: .max, file: file, reuse: entry.reuse)
    let bytes = longest.bytes(used: 42)
    #expect(bytes.count == CacheEntry.length)
    #expect(longest.conditions == ["If-None-Match: \(text)"])
    #expect(CacheEntry.read(bytes[...])?.entry == longest)
  }

  @Test("an entry is not read from bytes that are damaged anywhere, or truncated") func damaged() throws {
    let bytes = try CacheEntry.of("https://a.example/", Self.validators).bytes(used: 42)
    for place in bytes.indices {
      var other = bytes
      other[place] ^= 1 << UInt8(place % 8)
      #expect(CacheEntry.read(other[...]) == nil, "byte \(place)")
    }
    for count in [0, 7, 8, 16, 200, 511] { #expect(CacheEntry.read(bytes.prefix(count)) == nil) }
    #expect(CacheEntry.read([UInt8](repeating: 0, count: CacheEntry.length)[...]) == nil)
    #expect(CacheEntry.read([UInt8](repeating: 0xff, count: CacheEntry.length)[...]) == nil)
  }

  @Test("the digest of a URL depends on all of it except its fragment") func digest() {
    #expect(URLDigest("https://a.example/b#c") == URLDigest("https://a.example/b"))
    #expect(URLDigest("https://a.example/b?c") != URLDigest("https://a.example/b"))
    #expect(URLDigest("") != nil)
  }
}
