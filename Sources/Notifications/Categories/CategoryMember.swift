/// A member of a category or of an action, as the file of categories and the payload spell it: a row of the
/// tables below. `CategoryChecker` reads them, and a test compares `categories.schema.json` with them.
///
/// The names and options are those of UNNotificationCategory, UNNotificationAction,
/// UNTextInputNotificationAction and UNNotificationActionIcon
/// (developer.apple.com/documentation/usernotifications).
struct CategoryMember: Sendable {
  indirect enum Value: Sendable {
    case text
    case texts
    /// A list of these words.
    case options([String])
    case object([CategoryMember])
    /// Exactly one of these members.
    case choice([CategoryMember])
    case actions
  }

  let name: String
  let value: Value
  var isRequired = false

  static let category = [
    CategoryMember(name: "actions", value: .actions, isRequired: true),
    CategoryMember(
      name: "options",
      value: .options([
        "customDismissAction", "allowInCarPlay", "hiddenPreviewsShowTitle", "hiddenPreviewsShowSubtitle",
        "allowAnnouncement",
      ])),
    CategoryMember(name: "hiddenPreviewsBodyPlaceholder", value: .text),
    CategoryMember(name: "categorySummaryFormat", value: .text),
  ]

  static let action = [
    CategoryMember(name: "identifier", value: .text, isRequired: true),
    CategoryMember(name: "title", value: .text),
    CategoryMember(name: "title-loc-key", value: .text),
    CategoryMember(name: "title-loc-args", value: .texts),
    CategoryMember(
      name: "icon",
      value: .choice([
        // An SF Symbol.
        CategoryMember(name: "system", value: .text),
        // An image of the app.
        CategoryMember(name: "template", value: .text),
      ])),
    CategoryMember(
      name: "options", value: .options(["foreground", "destructive", "authenticationRequired"])),
    CategoryMember(
      name: "textInput",
      value: .object([
        CategoryMember(name: "buttonTitle", value: .text, isRequired: true),
        CategoryMember(name: "placeholder", value: .text),
      ])),
  ]
}
