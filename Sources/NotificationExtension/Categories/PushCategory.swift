/// The buttons of a push, and how it is shown.
public struct PushCategory: Equatable, Sendable {
  public enum Option: String, Sendable {
    case customDismissAction, allowInCarPlay, hiddenPreviewsShowTitle, hiddenPreviewsShowSubtitle
  }

  /// iOS shows no more actions of a category.
  public static let maximumActions = 10

  /// As in `aps.category`.
  public let identifier: String
  /// With different identifiers.
  public var actions: [PushAction]
  public var options: Set<Option>
  public var hiddenPreviewsBodyPlaceholder, categorySummaryFormat: String?

  public init(
    identifier: String, actions: [PushAction], options: Set<Option> = [],
    hiddenPreviewsBodyPlaceholder: String? = nil, categorySummaryFormat: String? = nil
  ) {
    self.identifier = identifier
    self.actions = actions.merged(with: [], by: \.identifier)
    self.options = options
    self.hiddenPreviewsBodyPlaceholder = hiddenPreviewsBodyPlaceholder
    self.categorySummaryFormat = categorySummaryFormat
  }

  /// Where the category is that a payload brings.
  enum Source: Equatable {
    case payload(PushCategory)
    /// A file with `actions` and the other members. Its members are those of a category.
    case file(String)
  }

  /// Returns nil if the payload brings no actions and no other members of a category.
  /// - Parameter identifier: the category of the push. A push without one has no buttons.
  static func source(in userInfo: [AnyHashable: Any], identifier: String) -> Source? {
    if identifier.isEmpty { return nil }
    if let url = userInfo["actions_url"] as? String { return .file(url) }
    let members = userInfo["actions_category"] as? [String: Any]
    guard members != nil || userInfo["actions"] != nil else { return nil }
    var object = members ?? [:]
    object["actions"] = userInfo["actions"] ?? []
    return decode(object).flatMap { PushCategory($0, identifier: identifier) }.map(Source.payload)
  }
}

extension PushCategory {
  /// The members of a category, as push-enricher writes them.
  struct Members: Decodable {
    let actions: [Lenient<PushAction>]?
    let options: [Lenient<String>]?
    let hiddenPreviewsBodyPlaceholder, categorySummaryFormat: String?
  }

  /// Drops what iOS would drop. Returns nil if nothing is left: a category without actions would only take away those
  /// that the app has.
  init?(_ members: Members, identifier: String) {
    self.init(
      identifier: identifier, actions: (members.actions ?? []).compactMap(\.value),
      options: Set((members.options ?? []).compactMap { $0.value.flatMap(Option.init) }),
      hiddenPreviewsBodyPlaceholder: members.hiddenPreviewsBodyPlaceholder,
      categorySummaryFormat: members.categorySummaryFormat)
    if actions.isEmpty, options.isEmpty, hiddenPreviewsBodyPlaceholder == nil, categorySummaryFormat == nil {
      return nil
    }
  }
}

extension [PushCategory] {
  /// These categories of the app with one that a push brings. Categories of other identifiers stay as they are. If the
  /// app has one of this identifier, its actions follow those of the push, up to what iOS shows. Of actions with the
  /// same identifier, that of the push counts. So do its other members, as far as it has them.
  public func merged(with new: PushCategory) -> [PushCategory] {
    var category = new
    if let own = first(where: { $0.identifier == new.identifier }) {
      category.actions = new.actions.merged(with: own.actions, by: \.identifier)
      if new.options.isEmpty { category.options = own.options }
      category.hiddenPreviewsBodyPlaceholder =
        new.hiddenPreviewsBodyPlaceholder ?? own.hiddenPreviewsBodyPlaceholder
      category.categorySummaryFormat = new.categorySummaryFormat ?? own.categorySummaryFormat
    }
    return filter { $0.identifier != new.identifier } + [category]
  }
}

extension Array {
  /// Without elements whose identifier is there already, and without those that iOS would not show.
  func merged(with others: [Element], by identifier: (Element) -> String) -> [Element] {
    var seen: Set<String> = []
    let different = (self + others).filter { seen.insert(identifier($0)).inserted }
    return Array(different.prefix(PushCategory.maximumActions))
  }
}
