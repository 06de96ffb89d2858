import Queueing
import TestSupport

extension Message {
  /// A message with headers and a body of all sorts, such as repeated names and bytes that are no text.
  static func random(using random: inout SeededGenerator) -> Message {
    let headers = (0..<Int.random(in: 0...6, using: &random)).map { _ in
      let names = ["x", "apns-topic", "id", "body", "headers", "é", "e\u{301}", "\"\\", "\n"]
      return Header(names.randomElement(using: &random) ?? "", text(using: &random))
    }
    let texts = [
      #"{"aps":{"alert":"\#(Int.random(in: 0...99, using: &random))"}}"#, "{ }", "{}\n",
      "{\"a\":\"\\ud800\"}", "[]", "",
      "{\"a\":1}{", text(using: &random),
    ]
    let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
    let body = (texts.map { Array($0.utf8) } + [bytes]).randomElement(using: &random) ?? []
    return Message(id: "id \(Int.random(in: 0...999, using: &random)) é", body: body, headers: headers)
  }

  private static func text(using random: inout SeededGenerator) -> String {
    let sorts: [ClosedRange<UInt32>] = [
      0...0x1F, 0x20...0x7E, 0x7F...0x9F, 0x300...0x36F, 0xE000...0xFFFF, 0x1F600...0x10FFFF,
    ]
    let scalars = (0..<Int.random(in: 0...12, using: &random)).compactMap { _ in
      sorts.randomElement(using: &random).map { UInt32.random(in: $0, using: &random) }.flatMap(
        Unicode.Scalar.init)
    }
    return String(String.UnicodeScalarView(scalars))
  }
}

/// A message to compare byte for byte: equal strings may have other bytes.
struct MessageBytes: Equatable {
  let id, body: [UInt8]
  let headers: [[[UInt8]]]

  init(_ message: Message) {
    (id, body) = (Array(message.id.utf8), message.body)
    headers = message.headers.map { [Array($0.name.utf8), Array($0.value.utf8)] }
  }
}
