/// A provider's way to name media: a row of the table in `Dialects.swift`.
struct Dialect: Sendable {
  struct Location: Sendable {
    let path: JSONPath
    /// The member with the URL, if `path` leads to an object; nil if it leads to the URL itself.
    var url: String?
    /// Whether a string at `path` also counts as a URL.
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

    /// The name of the payload's member that contains the media; nil if it is not fixed.
    var topName: String? {
      for step in path.steps {
        switch step {
        case .key(let name): return name
        // Conditions on the payload itself do not change the place.
        case .having, .with: continue
        default: return nil
        }
      }
      return url
    }
  }

  /// The members with options, by default UNNotificationAttachment's. Invalid values are ignored.
  struct Options: Sendable {
    static let nested = Options(object: ["options"])

    /// The path to the object that has these members.
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
  /// Only the first location that has media counts.
  let locations: [Location]
  /// The names of members beside the URL. A type hint that is a uniform type identifier is also an
  /// option. A medium found by a `members` step gets that member's name as its identifier. If `lazy`
  /// is `true`, the medium is not fetched.
  var typeHint, identifier, lazy, coding: String?
  /// The options in the object that has the URL.
  var options: Options?
  /// The options in the payload, for media of the dialect that lack these options themselves.
  var sharedOptions: Options?
  /// The path in the payload to the identifier of the thumbnail. All other media get
  /// `thumbnailHidden` unless an option says otherwise.
  var thumbnail: [String]?
  /// Whether the value may name a file in the app's bundle. Such a file is not fetched.
  var allowsBundledFiles = false
  /// The path that the provider's SDK puts between its own base and a relative URL.
  var relativePrefix: String?
  /// Whether the media of the second location stand in for those of the first that cannot be attached.
  var hasSpare = false
  /// The change to the payload if a spare is attached: the member gets the value at the end of the path `way`.
  var spareSetting: (name: String, way: [String])?
  /// Where the payload has texts for the alert.
  var texts: Texts?

  /// Texts that the provider's SDK shows with the media instead of the alert's.
  struct Texts: Sendable {
    /// The object that has them.
    let object: JSONPath
    var title: String? = "title"
    var subtitle: String? = "subtitle"
    var body: String? = "body"
    /// Members of `aps` to set, and the paths from the object to their texts.
    var settings: [(name: String, way: [String])] = []
    /// The member with the body to show if no media can be attached.
    var substitute: String?
  }
}

extension JSONValue {
  /// The value at the end of a path through objects.
  subscript(names: [String]) -> JSONValue? { names.reduce(self) { $0?[$1] } }
}
