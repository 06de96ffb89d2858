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

    /// The URL of the medium at `place`, and its exact place.
    func url(at place: JSONPath.Place) -> JSONPath.Place? {
      switch self {
      case .text: place
      case .textOrObject where place.value.kind == .string: place
      case .object(_, let name), .textOrObject(_, let name):
        place.value[name].map { place.stepped(to: $0, key: name) }
      }
    }
  }

  /// What names a medium.
  enum Identifier: Sendable {
    /// A string in the object that has the URL.
    case field(JSONPath)
    /// The name of the member that the medium is.
    case memberName
  }

  /// Where the options are. An option that is missing or has an invalid value is left out; the others count.
  struct Options: Sendable {
    /// The object that has them as these members.
    var object: JSONPath = []
    var hidden: String?
    var clippingRect: String?
    var time: String?

    func read(from place: JSONPath.Place) -> AttachmentOptions {
      guard let object = object.first(from: place) else { return AttachmentOptions() }
      return AttachmentOptions(
        thumbnailHidden: hidden.flatMap { object[$0] }?.bool,
        thumbnailClippingRect: clippingRect.flatMap { object[$0] }.flatMap(ClippingRect.init),
        thumbnailTime: time.flatMap { object[$0] }?.number.flatMap { $0 < 0 ? nil : $0 })
    }
  }

  let name: String
  /// Of these, the first that has media counts.
  let locations: [Location]
  /// In the object that has the URL. Its kind shows in its text; a uniform type identifier is also the option
  /// `typeHint`.
  var typeHint: JSONPath?
  var identifier: Identifier?
  /// In the object that has the URL.
  var options = Options()
  /// From the top of the payload: for all media of the dialect that have none of their own.
  var sharedOptions = Options()
  /// From the top of the payload, the identifier of the one medium that is the thumbnail: all others are
  /// hidden, unless an option says otherwise.
  var thumbnail: JSONPath?
  /// In the object that has the URL. `true` there: not meant to be fetched.
  var lazy: JSONPath?
  /// In the object that has the URL: how the medium is encrypted.
  var coding: JSONPath?
  /// Whether the value may be the name of a file in the app, which is not to be fetched.
  var allowsBundledFiles = false
}

extension Dialect.Options {
  /// UNNotificationAttachment's own names.
  static let plain = Self(
    hidden: "thumbnailHidden", clippingRect: "thumbnailClippingRect", time: "thumbnailTime")
  /// The same in an object `options`.
  static let nested = Self(
    object: "options", hidden: "thumbnailHidden", clippingRect: "thumbnailClippingRect",
    time: "thumbnailTime")
}
