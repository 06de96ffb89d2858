public import Foundation

/// An element of the payload's list `attachments`: a file that push-enricher has checked.
public struct MediaAttachment: Equatable, Sendable {
  public let identifier: String
  public let url: URL
  /// The uniform type identifier of the bytes. One of those that iOS accepts.
  public let type: String
  /// In bytes. At most what iOS accepts for the type.
  public let size: Int
  /// In lower-case hexadecimal digits.
  public let sha256: String
  public let options: AttachmentOptions

  var mediaType: MediaType? { MediaType.all.first { $0.identifier == type } }

  /// The attachments of a payload that may be tried, in their order. iOS shows the first one in the banner.
  /// - Parameters:
  ///   - key: the name of the list (`--attachments-key`).
  ///   - schemes: which URLs may be fetched.
  public static func all(
    in userInfo: [AnyHashable: Any], key: String = "attachments", schemes: Set<String> = ["https"]
  ) -> [MediaAttachment] {
    let list: [Lenient<MediaAttachment>]? = decode(userInfo[key])
    // A payload has room for 15.
    return (list ?? []).prefix(16).compactMap(\.value).filter {
      schemes.contains($0.url.scheme?.lowercased() ?? "")
    }
  }
}

extension MediaAttachment: Decodable {
  private enum CodingKeys: String, CodingKey { case identifier, url, type, size, sha256, options }

  /// - Throws: `DecodingError` if iOS would not accept the file.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    identifier = try members.decodeIfPresent(String.self, forKey: .identifier) ?? ""
    type = try members.decode(String.self, forKey: .type)
    size = try members.decode(Int.self, forKey: .size)
    sha256 = try members.decode(String.self, forKey: .sha256)
    options = (try? members.decodeIfPresent(AttachmentOptions.self, forKey: .options)) ?? AttachmentOptions()
    let text = try members.decode(String.self, forKey: .url)
    let name = type
    guard let url = URL(string: text), let type = MediaType.all.first(where: { $0.identifier == name }),
      1...type.family.limit ~= size, sha256.utf8.count == 64,
      sha256.allSatisfy({ "0123456789abcdef".contains($0) })
    else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "iOS takes no such attachment"))
    }
    self.url = url
  }
}

/// How the sender wants an attachment to be shown: the options of UNNotificationAttachment.
public struct AttachmentOptions: Decodable, Equatable, Sendable {
  public var thumbnailHidden: Bool?
  public var thumbnailClippingRect: ClippingRect?
  /// Seconds into a movie, or the number of an animation's frame.
  public var thumbnailTime: Double?

  public init() {}

  /// The part of a picture to use as its thumbnail, in fractions of its width and height.
  public struct ClippingRect: Decodable, Equatable, Sendable {
    public let x, y, width, height: Double

    private enum CodingKeys: String, CodingKey { case x = "X", y = "Y", width = "Width", height = "Height" }
  }
}

/// An element of a list. If it is of another kind, it becomes nil, and the rest of the list still counts.
struct Lenient<Value: Decodable>: Decodable {
  let value: Value?

  init(from decoder: any Decoder) throws { value = try? Value(from: decoder) }
}

/// Decodes a part of a payload. Returns nil if it is something else.
func decode<Value: Decodable>(_ part: Any?) -> Value? {
  let whole = ["value": part ?? NSNull()]
  // Otherwise, Foundation would raise an exception.
  guard JSONSerialization.isValidJSONObject(whole),
    let data = try? JSONSerialization.data(withJSONObject: whole)
  else { return nil }
  return (try? JSONDecoder().decode([String: Value].self, from: data))?["value"]
}
