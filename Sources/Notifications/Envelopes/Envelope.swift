/// What a service takes around the payload of a push: a row of the table in `Envelopes.swift`. All ways are
/// those of members from the message, unless a comment says otherwise.
struct Envelope: Sendable {
  /// How the service says that an extension may modify the push.
  enum Mutability: Sendable {
    /// As APNs does, in `aps` of the payload.
    case aps
    case flag([String])
    /// The service sets the flag itself if there is something here.
    case implied(by: [String], orFlag: [String])
    case always
  }

  /// The members by which a message is recognized.
  struct Mark: Sendable {
    /// It has one of each of these lists.
    var has: [[String]] = []
    /// It has none of these.
    var lacks: [String] = []

    func fits(_ value: JSONValue) -> Bool {
      value.kind == .object && has.allSatisfy { names in names.contains { value.given($0) != nil } }
        && lacks.allSatisfy { value[$0] == nil }
    }
  }

  let name: String
  let mark: Mark
  /// The ways from the document to its messages, of which each that has the mark counts.
  var messages: [JSONPath] = [[]]
  /// Whether its messages are JSON in strings, so that a string is a message that is broken.
  var isText = false
  /// The way to the object with custom data, in which the dialects are searched and attachments are listed.
  var payload: [String] = []
  /// Whether a payload that is missing can be made, as the service can do without it.
  var makesPayload = false
  var mutability = Mutability.aps
  /// Places of texts, or of objects with texts, that the alert shows, besides those of `aps`.
  var alert: [[String]] = []
  /// Media beside the payload.
  var media: DialectTable = []
  /// Further objects in which the dialects are searched: the service adds their members to the payload.
  var data: [[String]] = []
  /// What the size limit counts. Empty for the text that the payload is in.
  var counted: [[String]] = []
  /// The way to APNs' request headers.
  var headers: [String]?
  /// Payloads at keys of this name are of this type.
  var pushTypes: [String: PushType] = [:]
}
