import Foundation
import Synchronization

// The parts of Apple's UserNotifications and Foundation that Linux lacks, as far as the article Categories needs them.

struct UNNotificationActionOptions: OptionSet, Hashable {
  let rawValue: UInt
  static let authenticationRequired = Self(rawValue: 1)
  static let destructive = Self(rawValue: 2)
  static let foreground = Self(rawValue: 4)
}

struct UNNotificationCategoryOptions: OptionSet, Hashable {
  let rawValue: UInt
  static let customDismissAction = Self(rawValue: 1)
  static let allowInCarPlay = Self(rawValue: 2)
  static let hiddenPreviewsShowTitle = Self(rawValue: 4)
  static let hiddenPreviewsShowSubtitle = Self(rawValue: 8)
}

struct UNNotificationActionIcon: Hashable {
  let name: String
  init(systemImageName: String) { name = "system \(systemImageName)" }
  init(templateImageName: String) { name = "template \(templateImageName)" }
}

class UNNotificationAction: @unchecked Sendable {
  let identifier, title: String
  let options: UNNotificationActionOptions
  let icon: UNNotificationActionIcon?

  init(
    identifier: String, title: String, options: UNNotificationActionOptions, icon: UNNotificationActionIcon?
  ) {
    (self.identifier, self.title, self.options, self.icon) = (identifier, title, options, icon)
  }
}

final class UNTextInputNotificationAction: UNNotificationAction, @unchecked Sendable {
  let textInputButtonTitle, textInputPlaceholder: String

  init(
    identifier: String, title: String, options: UNNotificationActionOptions, icon: UNNotificationActionIcon?,
    textInputButtonTitle: String, textInputPlaceholder: String
  ) {
    (self.textInputButtonTitle, self.textInputPlaceholder) = (textInputButtonTitle, textInputPlaceholder)
    super.init(identifier: identifier, title: title, options: options, icon: icon)
  }
}

struct UNNotificationCategory: Hashable, Sendable {
  let identifier: String
  let actions: [UNNotificationAction]
  let hiddenPreviewsBodyPlaceholder, categorySummaryFormat: String?
  let options: UNNotificationCategoryOptions

  init(
    identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
    hiddenPreviewsBodyPlaceholder: String?, categorySummaryFormat: String?,
    options: UNNotificationCategoryOptions
  ) {
    (self.identifier, self.actions, self.options) = (identifier, actions, options)
    (self.hiddenPreviewsBodyPlaceholder, self.categorySummaryFormat) =
      (hiddenPreviewsBodyPlaceholder, categorySummaryFormat)
  }

  static func == (left: Self, right: Self) -> Bool { left.identifier == right.identifier }
  func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}

struct UNNotificationContent {
  var categoryIdentifier = ""
  var userInfo: [AnyHashable: Any] = [:]
}

final class UNUserNotificationCenter: Sendable {
  private static let center = UNUserNotificationCenter()
  private let categories = Mutex<Set<UNNotificationCategory>>([])

  static func current() -> UNUserNotificationCenter { center }
  func notificationCategories() async -> Set<UNNotificationCategory> { categories.withLock { $0 } }
  func setNotificationCategories(_ new: Set<UNNotificationCategory>) { categories.withLock { $0 = new } }
}

extension NSString {
  static func localizedUserNotificationString(forKey key: String, arguments: [Any]?) -> String {
    ([key] + (arguments ?? []).map { "\($0)" }).joined(separator: " ")
  }
}

/// Reads files.
struct URLSession {
  static let shared = URLSession()
  func data(from url: URL) async throws -> (Data, Int) { (try Data(contentsOf: url), 200) }
}
