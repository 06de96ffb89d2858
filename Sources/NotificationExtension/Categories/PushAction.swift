/// A button under a push.
public struct PushAction: Equatable, Sendable {
  public enum Option: String, Sendable { case foreground, destructive, authenticationRequired }
  public enum Icon: Equatable, Sendable {
    /// An SF Symbol.
    case system(String)
    /// An image of the app.
    case template(String)
  }
  public enum Title: Equatable, Sendable {
    case text(String)
    /// A text of the app.
    case localized(key: String, arguments: [String])
  }
  /// Makes the button ask for text.
  public struct TextInput: Equatable, Sendable {
    public let buttonTitle, placeholder: String

    public init(buttonTitle: String, placeholder: String = "") {
      (self.buttonTitle, self.placeholder) = (buttonTitle, placeholder)
    }
  }

  /// What the app gets when the button is tapped.
  public let identifier: String
  public let title: Title
  public let icon: Icon?
  /// Without `destructive` if it asks for text: iOS drops that option.
  public let options: Set<Option>
  public let textInput: TextInput?

  public init(
    identifier: String, title: Title, icon: Icon? = nil, options: Set<Option> = [],
    textInput: TextInput? = nil
  ) {
    (self.identifier, self.title, self.icon, self.textInput) = (identifier, title, icon, textInput)
    self.options = textInput == nil ? options : options.subtracting([.destructive])
  }
}

extension PushAction: Decodable {
  private enum CodingKeys: String, CodingKey {
    case identifier, title, icon, options, textInput
    case key = "title-loc-key"
    case arguments = "title-loc-args"
  }
  private struct IconMembers: Decodable { let system, template: String? }
  private struct TextInputMembers: Decodable { let buttonTitle, placeholder: String? }

  /// - Throws: `DecodingError` if iOS cannot make a button from it.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    let identifier = try members.decode(String.self, forKey: .identifier)
    guard !identifier.isEmpty else {
      throw DecodingError.dataCorruptedError(forKey: .identifier, in: members, debugDescription: "empty")
    }
    let title: Title
    if let text = try? members.decode(String.self, forKey: .title) {
      title = .text(text)
    } else {
      let arguments = try? members.decode([String].self, forKey: .arguments)
      title = .localized(key: try members.decode(String.self, forKey: .key), arguments: arguments ?? [])
    }
    let icon = try? members.decode(IconMembers.self, forKey: .icon)
    let input = try? members.decode(TextInputMembers.self, forKey: .textInput)
    let options = try? members.decode([Lenient<String>].self, forKey: .options)
    self.init(
      identifier: identifier, title: title,
      icon: icon?.system.map(Icon.system) ?? icon?.template.map(Icon.template),
      options: Set((options ?? []).compactMap { $0.value.flatMap(Option.init) }),
      textInput: input.map { TextInput(buttonTitle: $0.buttonTitle ?? "", placeholder: $0.placeholder ?? "") }
    )
  }
}
