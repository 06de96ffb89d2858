/// A provider's way to name media, as data: one row of the table in `Dialects.swift`.
struct Dialect: Sendable {
  /// Where media stand, and in which form.
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

    /// The URL of a medium that stands at `place`, and where exactly.
    func url(at place: JSONPath.Place) -> JSONPath.Place? {
      switch self {
      case .text: place
      case .textOrObject where place.value.kind == .string: place
      case .object(_, let name), .textOrObject(_, let name):
        place.value[name].map { place.stepped(to: $0, key: name) }
      }
    }
  }

  /// Where something about a medium stands.
  enum Field: Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    /// From the object that has the URL.
    case here(JSONPath)
    /// From the top of the payload: for what all media share.
    case top(JSONPath)
    /// The name of the member that the medium is.
    case memberName

    init(stringLiteral name: String) { self = .here([.key(name)]) }
    init(arrayLiteral steps: JSONPath.Step...) { self = .here(JSONPath(steps)) }
  }

  /// Where the options stand.
  struct Options: Sendable {
    var hidden: Field?
    var clippingRect: Field?
    var time: Field?
    /// The identifier of the one medium that is the thumbnail: all others are hidden, unless `hidden` says
    /// otherwise.
    var thumbnail: Field?

    /// UNNotificationAttachment's own names, in the object that has the URL.
    static let plain = Options(
      hidden: "thumbnailHidden", clippingRect: "thumbnailClippingRect", time: "thumbnailTime")
    /// The same in an object `options` beside the URL.
    static let nested = Options(
      hidden: ["options", "thumbnailHidden"], clippingRect: ["options", "thumbnailClippingRect"],
      time: ["options", "thumbnailTime"])
  }

  let name: String
  /// Of these, the first that has media counts.
  let locations: [Location]
  /// Its kind shows in its text. A uniform type identifier is also the option `typeHint`.
  var typeHint: Field?
  var identifier: Field?
  var options = Options()
  /// `true` there: the medium is not meant to be fetched.
  var lazy: Field?
  /// Whether the value may be the name of a file in the app, which is then none of ours.
  var allowsBundledFiles = false
}
