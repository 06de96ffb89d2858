import Misbehaving
import TestSupport

/// Payloads, small and eligible unless stated otherwise.
enum Push {
  /// A payload that names these media, in this project's own dialect.
  static func naming(_ urls: String...) -> [UInt8] {
    with(#""media":[\#(urls.map { #"{"url":"\#($0)"}"# }.joined(separator: ","))]"#)
  }

  /// A payload with this additional member.
  static func with(_ member: String) -> [UInt8] {
    Array(#"{"aps":{"alert":"Hello","mutable-content":1},\#(member)}"#.utf8)
  }

  /// A payload of `size` bytes that names this medium.
  static func naming(_ url: String, size: Int) -> [UInt8] {
    let start = #"{"aps":{"alert":""#
    let end = #"","mutable-content":1},"media":{"url":"\#(url)"}}"#
    return Array((start + String(repeating: "a", count: size - start.utf8.count - end.utf8.count) + end).utf8)
  }
}

/// Options that allow fetches from loopback servers.
func reaching(_ ports: Int...) -> [String] {
  ["--allow-http", "--allow-network", "127.0.0.0/8"] + ports.flatMap { ["--allow-port", "\($0)"] }
}

/// Responses of a well-behaved server.
extension Response {
  static let photo = Response(.file("\(Fixtures.media)/photo.jpg"), as: "image/jpeg")
  static let clip = Response(.file("\(Fixtures.media)/clip.avi"), as: "video/avi")

  /// A file of Fixtures/media with zeros after it.
  static func padded(
    _ name: String, as type: String, to length: Int, framing: Framing = .contentLength
  ) -> Response {
    Response(
      .padded(first: (try? Files.read("\(Fixtures.media)/\(name)")) ?? [], length: length), as: type,
      framing: framing)
  }
}
