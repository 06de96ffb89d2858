/// The buttons of a push, and how it is shown.
public struct PushCategory: Equatable, Sendable {
  public enum Option: String, Sendable {
    case customDismissAction, allowInCarPlay, hiddenPreviewsShowTitle, hiddenPreviewsShowSubtitle
  }

  /// The most actions of a category that iOS shows.
  public static let maximumActions = 10

  /// As in `aps.category`.
  public let identifier: String
  /// Each has a different identifier.
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

  /// Where a payload has its category.
  enum Source: Equatable {
    case payload(PushCategory)
    /// The URL of a file with `actions` and the other members of a category.
    case file(String)
  }

  /// Returns nil if the payload has no actions and no other members of a category.
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

  /// Drops what iOS would drop. Returns nil if nothing is left.
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
  /// Adds the category of a push to these categories of the app. Categories with other identifiers stay as they are.
  /// If the app has a category with this identifier, its actions follow those of the push, up to the number that iOS
  /// shows. If two actions have the same identifier, the push's action counts. The other members that the push sets
  /// override the app's.
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
  /// Leaves out elements whose identifier came before, and elements beyond the number that iOS shows.
  func merged(with others: [Element], by identifier: (Element) -> String) -> [Element] {
    var seen: Set<String> = []
    let different = (self + others).filter { seen.insert(identifier($0)).inserted }
    return Array(different.prefix(PushCategory.maximumActions))
  }
}
