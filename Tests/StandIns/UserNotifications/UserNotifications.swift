public import Foundation

// The parts of Apple's framework that `NotificationExtension` and the extension in the article InYourApp use. On Linux,
// a test compiles them with this module. It is in no target of the package, because then other modules could import it.

open class UNNotificationServiceExtension: NSObject {
  open func didReceive(
    _ request: UNNotificationRequest,
    withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ) {}
  open func serviceExtensionTimeWillExpire() {}
}

public final class UNNotificationRequest: NSObject {
  public let content: UNNotificationContent
  public init(content: UNNotificationContent) { self.content = content }
}

open class UNNotificationContent: NSObject {
  public fileprivate(set) var values = Values()

  public struct Values {
    public var title = "", subtitle = "", body = "", categoryIdentifier = ""
    public var userInfo: [AnyHashable: Any] = [:]
    public var attachments: [UNNotificationAttachment] = []

    public init() {}
  }

  open override func mutableCopy() -> Any { UNMutableNotificationContent(values) }
}

public final class UNMutableNotificationContent: UNNotificationContent {
  public init(_ values: Values) {
    super.init()
    self.values = values
  }

  public var title: String {
    get { values.title }
    set { values.title = newValue }
  }
  public var subtitle: String {
    get { values.subtitle }
    set { values.subtitle = newValue }
  }
  public var body: String {
    get { values.body }
    set { values.body = newValue }
  }
  public var categoryIdentifier: String {
    get { values.categoryIdentifier }
    set { values.categoryIdentifier = newValue }
  }
  public var userInfo: [AnyHashable: Any] {
    get { values.userInfo }
    set { values.userInfo = newValue }
  }
  public var attachments: [UNNotificationAttachment] {
    get { values.attachments }
    set { values.attachments = newValue }
  }
}

public let UNNotificationAttachmentOptionsTypeHintKey = "typeHint"
public let UNNotificationAttachmentOptionsThumbnailHiddenKey = "thumbnailHidden"
public let UNNotificationAttachmentOptionsThumbnailClippingRectKey = "thumbnailClippingRect"
public let UNNotificationAttachmentOptionsThumbnailTimeKey = "thumbnailTime"

public final class UNNotificationAttachment: NSObject {
  public let identifier: String
  public let url: URL
  public let options: [AnyHashable: Any]

  public init(identifier: String, url: URL, options: [AnyHashable: Any]? = nil) throws {
    guard FileManager.default.fileExists(atPath: url.path) else { throw CocoaError(.fileNoSuchFile) }
    (self.identifier, self.url, self.options) = (identifier, url, options ?? [:])
  }
}

public struct UNNotificationActionOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let authenticationRequired = Self(rawValue: 1)
  public static let destructive = Self(rawValue: 2)
  public static let foreground = Self(rawValue: 4)
}

public struct UNNotificationCategoryOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let customDismissAction = Self(rawValue: 1)
  public static let allowInCarPlay = Self(rawValue: 2)
  public static let hiddenPreviewsShowTitle = Self(rawValue: 4)
  public static let hiddenPreviewsShowSubtitle = Self(rawValue: 8)
}

public final class UNNotificationActionIcon: NSObject {
  public let name: String
  public init(systemImageName: String) { name = "system \(systemImageName)" }
  public init(templateImageName: String) { name = "template \(templateImageName)" }
}

open class UNNotificationAction: NSObject {
  public let identifier, title: String
  public let options: UNNotificationActionOptions
  public let icon: UNNotificationActionIcon?

  public init(
    identifier: String, title: String, options: UNNotificationActionOptions = [],
    icon: UNNotificationActionIcon? = nil
  ) {
    (self.identifier, self.title, self.options, self.icon) = (identifier, title, options, icon)
  }
}

public final class UNTextInputNotificationAction: UNNotificationAction {
  public let textInputButtonTitle, textInputPlaceholder: String

  public init(
    identifier: String, title: String, options: UNNotificationActionOptions, icon: UNNotificationActionIcon?,
    textInputButtonTitle: String, textInputPlaceholder: String
  ) {
    (self.textInputButtonTitle, self.textInputPlaceholder) = (textInputButtonTitle, textInputPlaceholder)
    super.init(identifier: identifier, title: title, options: options, icon: icon)
  }
}

public final class UNNotificationCategory: NSObject {
  public let identifier: String
  public let actions: [UNNotificationAction]
  public let intentIdentifiers: [String]
  public let hiddenPreviewsBodyPlaceholder: String
  public let categorySummaryFormat: String
  public let options: UNNotificationCategoryOptions

  public init(
    identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
    hiddenPreviewsBodyPlaceholder: String?, categorySummaryFormat: String?,
    options: UNNotificationCategoryOptions = []
  ) {
    (self.identifier, self.actions, self.intentIdentifiers) = (identifier, actions, intentIdentifiers)
    self.hiddenPreviewsBodyPlaceholder = hiddenPreviewsBodyPlaceholder ?? ""
    self.categorySummaryFormat = categorySummaryFormat ?? ""
    self.options = options
  }
}

/// Answers on another thread, as the real one does.
public final class UNUserNotificationCenter: NSObject, @unchecked Sendable {
  private static let center = UNUserNotificationCenter()
  private let queue = DispatchQueue(label: "UserNotifications")
  private var categories: Set<UNNotificationCategory> = []

  public static func current() -> UNUserNotificationCenter { center }

  public func getNotificationCategories(
    completionHandler: @escaping @Sendable (Set<UNNotificationCategory>) -> Void
  ) {
    queue.async { completionHandler(self.categories) }
  }

  public func setNotificationCategories(_ new: Set<UNNotificationCategory>) {
    let new = UncheckedSendable(value: new)
    queue.async { self.categories = new.value }
  }

  private struct UncheckedSendable: @unchecked Sendable { let value: Set<UNNotificationCategory> }
}

extension NSString {
  public static func localizedUserNotificationString(forKey key: String, arguments: [Any]?) -> String {
    ([key] + (arguments ?? []).map { "\($0)" }).joined(separator: " ")
  }
}
