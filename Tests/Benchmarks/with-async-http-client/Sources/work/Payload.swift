import Foundation

/// A payload that names its media as `media.url`.
struct Payload {
  let mediaURL: String
  private let text: String

  init(_ text: String) throws {
    guard let media = try Self.object(in: text)["media"] as? [String: Any],
      let url = media["url"] as? String
    else { throw WorkError.payload }
    self.text = text
    mediaURL = url
  }

  /// - Returns: the payload with one file in `attachments`.
  func attaching(_ name: String, type: String, size: Int) throws -> String {
    var object = try Self.object(in: text)
    object["attachments"] = [["name": name, "type": type, "size": size] as [String: Any]]
    let bytes = try JSONSerialization.data(withJSONObject: object, options: [.withoutEscapingSlashes])
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func object(in text: String) throws -> [String: Any] {
    guard let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
      throw WorkError.payload
    }
    return object
  }
}
