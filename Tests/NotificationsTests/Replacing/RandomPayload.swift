import Notifications
import TestSupport

/// A payload that names media in many places, often the same ones, in all the spellings that JSON
/// allows and in strings inside strings, and the expected payload with some of their URLs replaced.
struct RandomPayload {
  /// Some places also match these keys.
  static let mediaKeys = ["deep.json.0", "deep.json.1", "deep.json", "fcm_options.image"]

  let input: String
  let expected: String
  let replaced: [(sent: String, stored: String)]

  /// Pairs of a sent and a stored URL.
  private static let urls = [
    ["https://media.example/photo.jpg", "https://cdn.example/0.jpg"],
    ["https://media.example/ü 😀?a=\"b\"\\c", "https://cdn.example/1"],
    ["/", #"https://cdn.example/"2"\ü"#],
    ["https://media.example/" + String(repeating: "a/", count: 40), ""],
  ]

  /// - Parameter depth: in how many strings of JSON the payload is. The path to it has as many `p`s.
  init(seed: UInt64, inside depth: Int = 0) {
    var random = SeededGenerator(seed: seed)
    var noise = RandomJSON(seed: seed)
    // `@N:M@` stands for the URL with number N inside M strings.
    let embedded = Self.escape(
      #"{"ios":{"attachments":[{"n":\#(noise.object().spelling),"url":"@0:1@"}]},"image":"x"}"#, &random)
    let deeper = Self.escape(#"["@1:2@",{"n":\#(noise.object().spelling),"url":"@0:2@"}]"#, &random)
    let deep = Self.escape(#"{ "n":\#(noise.object().spelling), "json" : "\#(deeper)"}"#, &random)
    let members = [
      #""media":[{"url" : "@0:0@","options":{}} , "@1:0@",{"url":"@2:0@","enc":{}}]"#,
      #""fcm_options":{"image":"@2:0@","image":"@3:0@"}"#,
      #""os_data":{"att":{"a":"@0:0@","b":"@1:0@","c":"bundled.png"}}"#,
      #""notifee_options":"\#(embedded)""#, #""deep":"\#(deep)""#,
      #""n":\#(noise.object().spelling)"#, #""image":"none""#,
    ].shuffled(using: &random).dropLast(Int.random(in: 0...4, using: &random))
    var template = "{" + members.map { noise.space() + $0 + noise.space() }.joined(separator: ",") + "}"
    for _ in 0..<depth {
      let around = (noise.object().spelling, noise.object().spelling)
      template = #"{"a":\#(around.0), "p" :"\#(Self.escape(template, &random))","z":\#(around.1)}"#
    }

    let chosen = (0..<4).filter { _ in Int.random(in: 0...3, using: &random) > 0 }
    replaced = chosen.map { (Self.urls[$0][0], Self.urls[$0][1]) }
    var input = ""
    var expected = ""
    // Every second part is between marks.
    for (index, part) in template.split(separator: "@", omittingEmptySubsequences: false).enumerated() {
      guard index % 2 == 1 else {
        input += part
        expected += part
        continue
      }
      let numbers = part.split(separator: ":").compactMap { Int($0) }
      var (sent, stored) = (Self.urls[numbers[0]][0], Self.urls[numbers[0]][1])
      for _ in 0...numbers[1] + depth {
        sent = Self.escape(sent, &random)
        stored = stored.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#)
      }
      input += sent
      // The first image is not the one that counts, and encrypted media keep their URLs.
      let isReplaced = chosen.contains(numbers[0]) && numbers[0] != 2
      expected += isReplaced ? stored : sent
    }
    self.input = input
    self.expected = expected
  }

  /// Escapes text for a string, and leaves the marks as they are.
  static func escape(_ text: String, _ random: inout SeededGenerator) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      let isRare = Int.random(in: 0...9, using: &random) == 0
      switch scalar {
      case "@", ":", "0"..."9": escaped.unicodeScalars.append(scalar)
      case "\"" where !isRare, "\\" where !isRare: escaped += "\\\(scalar)"
      case "/" where Bool.random(using: &random): escaped += #"\/"#
      case "\n" where !isRare: escaped += #"\n"#
      case _ where isRare || scalar.value < 0x20 || scalar == "\"" || scalar == "\\":
        for unit in scalar.utf16 {
          let digits = String(unit, radix: 16, uppercase: unit % 3 == 0)
          escaped += #"\u"# + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

extension Unicode.Scalar {
  fileprivate var utf16: String.UTF16View { String(Character(self)).utf16 }
}
