/// A provider's way to name media, as data: one row of the table in `Dialects.swift`.
struct Dialect: Sendable {
  /// Where media are, and in which form.
  enum Location: Sendable {
    /// A string there is the URL.
    case text(JSONPath)
    /// An object there has the URL as this member.
    case object(JSONPath, url: String)
    /// Either of them.
    case textOrObject(JSONPath, url: String)

    var path: JSONPath {
      switch self {
      case .text(let path), .object(let path, _), .textOrObject(let path, _): path
      }
    }

    /// The exact place of the URL of the medium at `place`.
    func url(at place: JSONPath.Place) -> JSONPath.Place? {
      switch self {
      case .text: place
      case .textOrObject where place.value.kind == .string: place
      case .object(_, let name), .textOrObject(_, let name):
        place.value[name].map { place.stepped(to: $0, key: name) }
      }
    }
  }

  /// Where the options are. An option that is missing or has an invalid value is left out; the others count.
  struct Options: Sendable {
    /// The object that has them as these members.
    var object: [String] = []
    var hidden: String?
    var clippingRect: String?
    var time: String?

    func read(from value: JSONValue) -> AttachmentOptions {
      guard let object = value[object] else { return AttachmentOptions() }
      return AttachmentOptions(
        thumbnailHidden: hidden.flatMap { object[$0] }?.bool,
        thumbnailClippingRect: clippingRect.flatMap { object[$0] }.flatMap(ClippingRect.init),
        thumbnailTime: time.flatMap { object[$0] }?.number.flatMap { $0 < 0 ? nil : $0 })
    }
  }

  let name: String
  /// The first of these that has media counts.
  let locations: [Location]
  /// A member of the object that has the URL. Its kind shows in its text; a uniform type identifier is also
  /// the option `typeHint`.
  var typeHint: String?
  /// A member of the object that has the URL. A medium at the end of a step `members` has its own name.
  var identifier: String?
  /// In the object that has the URL.
  var options = Options()
  /// In the payload: for all media of the dialect that have none of their own.
  var sharedOptions = Options()
  /// In the payload, the identifier of the one medium that is the thumbnail: all others are hidden, unless an
  /// option says otherwise.
  var thumbnail: [String]?
  /// A member of the object that has the URL. If it is `true`, the medium is not meant to be fetched.
  var lazy: String?
  /// A member of the object that has the URL: how the medium is encrypted.
  var coding: String?
  /// Whether the value may be the name of a file in the app, which is not to be fetched.
  var allowsBundledFiles = false
}

extension Dialect.Options {
  /// UNNotificationAttachment's own names.
  static let plain = Self(
    hidden: "thumbnailHidden", clippingRect: "thumbnailClippingRect", time: "thumbnailTime")
  /// The same in an object `options`.
  static let nested = Self(
    object: ["options"], hidden: "thumbnailHidden", clippingRect: "thumbnailClippingRect",
    time: "thumbnailTime")
}

extension JSONValue {
  /// The value at the end of a way through objects.
  subscript(names: [String]) -> JSONValue? { names.reduce(self) { $0?[$1] } }
}
