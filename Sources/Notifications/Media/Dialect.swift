/// A provider's way to name media: a row of the table in `Dialects.swift`.
struct Dialect: Sendable {
  struct Location: Sendable {
    let path: JSONPath
    /// The member with the URL, of an object there; nil if a string there is the URL.
    var url: String?
    /// Whether a string there is a URL as well.
    var orText = false

    static func text(_ path: JSONPath) -> Self { Self(path: path) }
    static func object(_ path: JSONPath, url: String) -> Self { Self(path: path, url: url) }
    static func textOrObject(_ path: JSONPath, url: String) -> Self {
      Self(path: path, url: url, orText: true)
    }

    func url(at place: JSONPath.Place) -> JSONPath.Place? {
      guard let url, !(orText && place.value.kind == .string) else { return place }
      return place.value[url].map { place.stepped(to: $0, key: url) }
    }

    /// The name of the payload's member that holds its media; nil if it has no fixed one.
    var topName: String? {
      guard let step = path.steps.first else { return url }
      return if case .key(let name) = step { name } else { nil }
    }
  }

  /// The members that have options, by UNNotificationAttachment's own names. An invalid one does not count.
  struct Options: Sendable {
    static let nested = Options(object: ["options"])

    /// The way to the object that has them.
    var object: [String] = []
    var hidden: String? = "thumbnailHidden"
    var clippingRect: String? = "thumbnailClippingRect"
    var time: String? = "thumbnailTime"

    func read(from value: JSONValue) -> AttachmentOptions {
      let object = value[object]
      return AttachmentOptions(
        thumbnailHidden: hidden.flatMap { object?[$0] }?.bool,
        thumbnailClippingRect: clippingRect.flatMap { object?[$0] }.flatMap(ClippingRect.init),
        thumbnailTime: time.flatMap { object?[$0] }?.number.flatMap { $0 < 0 ? nil : $0 })
    }
  }

  let name: String
  /// The first one with media counts.
  let locations: [Location]
  /// Members of the object with the URL. A type hint that is a uniform type identifier is also an option. A
  /// medium that a step `members` leads to has its own name. A lazy medium (`true`) is not to be fetched.
  var typeHint, identifier, lazy, coding: String?
  /// In the object with the URL.
  var options: Options?
  /// In the payload, for all media of the dialect that have none of their own.
  var sharedOptions: Options?
  /// In the payload, the identifier of the thumbnail. Other media are hidden if no option says otherwise.
  var thumbnail: [String]?
  /// Whether the value may be the name of a file in the app, which is not fetched.
  var allowsBundledFiles = false
}

extension JSONValue {
  /// The value at the end of a way through objects.
  subscript(names: [String]) -> JSONValue? { names.reduce(self) { $0?[$1] } }
}
