/// How a service wraps the payload of a push: a row of the table in `Envelopes.swift`. Every path
/// is a list of member names that starts at the message, unless a comment says otherwise.
struct Envelope: Sendable {
  /// The members that identify a message of the envelope.
  struct Mark: Sendable {
    /// The message has at least one member of each list.
    var has: [[String]] = []
    /// The message has none of these members. A member that is `null` counts as missing.
    var lacks: [String] = []
    /// The message has no value at this path.
    var lacksValue: [String] = []
    /// The message has this member with one of these numbers.
    var number: (name: String, values: [Double])?
    /// If the message has this member, it has one of these texts, by itself or in a list.
    var text: (name: String, values: [String])?

    func fits(_ value: JSONValue) -> Bool {
      value.kind == .object && has.allSatisfy { names in names.contains { value.given($0) != nil } }
        && lacks.allSatisfy { value.given($0) == nil } && (lacksValue.isEmpty || value[lacksValue] == nil)
        && number.map { number in
          value[number.name]?.number.map { number.values.contains($0) } ?? false
        } ?? true && text.map { value.hasText(named: $0.name, among: $0.values) } ?? true
    }
  }

  enum AlertPlace {
    /// The member `alert` in `aps` of the payload.
    case aps
    /// The member `alert` of this object, which is for iOS only.
    case member(of: [String])
    /// The lines are members of the message itself.
    case message
    /// Each line has texts in several languages.
    case languages
  }

  /// What only a message of the service has. Its mark alone may fit messages that others have made up.
  struct Proof: Sendable {
    /// Paths of which the message has a value at one.
    var values: [[String]] = []
    /// The message has this member with a text, or a list whose first text, starts like one of these.
    var prefix: (name: String, texts: [String])?

    func fits(_ value: JSONValue) -> Bool {
      if values.contains(where: { value[$0].map { $0.kind != .null } ?? false }) { return true }
      guard let prefix, let member = value[prefix.name] else { return false }
      let text = (member.elements.first { _ in true } ?? member).string ?? ""
      return prefix.texts.contains(where: text.hasPrefix)
    }
  }

  let name: String
  /// The index of the row.
  fileprivate(set) var index = 0
  let mark: Mark
  /// Nil if the mark is enough. A message without the proof counts only if there is no payload, and no other
  /// envelope, further inside.
  var proof: Proof?
  /// The paths from the document to the messages. Every value there that has the mark is a message.
  var messages: [JSONPath] = [[]]
  /// Whether the messages are JSON in strings. A string that is not JSON is then a broken message.
  var isText = false
  /// The path to the object with custom data, which is searched for media and gets the attachments.
  var payload: [String] = []
  /// Whether a missing payload may be created. The service does not require one.
  var makesPayload = false
  /// Paths to flags that let an extension modify the push. It is enough if one is set. Empty if the
  /// service always sets its flag.
  var flags = Self.apsFlags
  /// The service sets its flag itself if the message has a value at this path.
  var impliesFlag: [String]?
  /// Paths to more texts of the alert, or to objects that contain more texts.
  var alert: [[String]] = []
  /// Where the service has the alert that is shown.
  var alertPlace = AlertPlace.aps
  /// The lines of the alert by their names in `AlertLine`, and where the service takes their texts from if it
  /// has no alert at `alertPlace`.
  var lines: KeyValuePairs<String, [String]> = [:]
  /// Whether the localized keys of the alert may be in camel case. The sender renames them for APNs.
  var hasCamelCase = false
  /// The path to the category; nil for `aps.category` of the payload.
  var category: [String]?
  /// Media beside the payload.
  var media: DialectTable = []
  /// Paths to more objects to search for media. The service adds their members to the payload.
  var data: [[String]] = []
  /// Paths to what the size limit counts; by default, the message itself.
  var counted: [[String]] = [[]]
  /// Paths to pictures. The service puts the first one into the payload, so the size limit counts it too.
  var pictures: [[String]] = []
  /// The path to the push type.
  var pushType: [String] = []
  /// The push type of messages that have none at that path, by the name of the member with the message.
  var pushTypes: [String: PushType] = [:]

  /// The path to the flag in a payload in the form that APNs accepts.
  static let apsFlags = [["aps", "mutable-content"]]

  /// What the size limit counts in a message.
  func countedValues(in message: JSONValue) -> [JSONValue] {
    let picture = pictures.lazy.compactMap { message[$0] }.first { $0.kind != .null }
    return counted.compactMap { message[$0] } + [picture].compactMap(\.self)
  }
}

extension JSONValue {
  fileprivate func hasText(named name: String, among values: [String]) -> Bool {
    guard let member = given(name) else { return true }
    return ([member] + member.elements).contains { $0.string.map(values.contains) ?? false }
  }
}

extension [Envelope] {
  /// The same rows, which know their indices.
  var numbered: [Envelope] {
    indices.map { index in
      var row = self[index]
      row.index = index
      return row
    }
  }
}
