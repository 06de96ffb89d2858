import Foundation

// What follows is the code of the article Categories, word by word. `UserNotifications.swift` stands in for Apple's
// framework.

struct Category: Decodable {
  let actions: [Action]
  let options: [String]?
  let hiddenPreviewsBodyPlaceholder, categorySummaryFormat: String?
}

struct Action: Decodable {
  struct Icon: Decodable { let system, template: String? }
  struct TextInput: Decodable { let buttonTitle, placeholder: String? }

  let identifier: String
  let title, key: String?
  let arguments: [String]?
  let icon: Icon?
  let options: [String]?
  let textInput: TextInput?

  enum CodingKeys: String, CodingKey {
    case identifier, title, icon, options, textInput
    case key = "title-loc-key"
    case arguments = "title-loc-args"
  }
}

func register(_ content: UNNotificationContent) async throws {
  let category = try await category(of: content.userInfo)
  var options: UNNotificationCategoryOptions = []
  for option in category.options ?? [] {
    switch option {
    case "customDismissAction": options.insert(.customDismissAction)
    case "allowInCarPlay": options.insert(.allowInCarPlay)
    case "hiddenPreviewsShowTitle": options.insert(.hiddenPreviewsShowTitle)
    case "hiddenPreviewsShowSubtitle": options.insert(.hiddenPreviewsShowSubtitle)
    default: break
    }
  }
  let new = UNNotificationCategory(
    identifier: content.categoryIdentifier, actions: category.actions.map(button), intentIdentifiers: [],
    hiddenPreviewsBodyPlaceholder: category.hiddenPreviewsBodyPlaceholder,
    categorySummaryFormat: category.categorySummaryFormat, options: options)
  let center = UNUserNotificationCenter.current()
  center.setNotificationCategories(await center.notificationCategories().union([new]))
  // The categories are set in another process. Reading them waits for that.
  _ = await center.notificationCategories()
}

func category(of payload: [AnyHashable: Any]) async throws -> Category {
  if let text = payload["actions_url"] as? String, let url = URL(string: text) {
    return try JSONDecoder().decode(Category.self, from: await URLSession.shared.data(from: url).0)
  }
  var members = payload["actions_category"] as? [String: Any] ?? [:]
  members["actions"] = payload["actions"]
  return try JSONDecoder().decode(Category.self, from: JSONSerialization.data(withJSONObject: members))
}

func button(_ action: Action) -> UNNotificationAction {
  let title =
    action.title
    ?? NSString.localizedUserNotificationString(forKey: action.key ?? "", arguments: action.arguments)
  let icon =
    action.icon?.system.map { UNNotificationActionIcon(systemImageName: $0) }
    ?? action.icon?.template.map { UNNotificationActionIcon(templateImageName: $0) }
  var options: UNNotificationActionOptions = []
  for option in action.options ?? [] {
    switch option {
    case "foreground": options.insert(.foreground)
    case "destructive": options.insert(.destructive)
    case "authenticationRequired": options.insert(.authenticationRequired)
    default: break
    }
  }
  guard let input = action.textInput else {
    return UNNotificationAction(identifier: action.identifier, title: title, options: options, icon: icon)
  }
  return UNTextInputNotificationAction(
    identifier: action.identifier, title: title, options: options, icon: icon,
    textInputButtonTitle: input.buttonTitle ?? "", textInputPlaceholder: input.placeholder ?? "")
}
