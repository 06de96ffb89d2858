/// What is wrong with a category or an action.
package enum CategoryProblem: Equatable, Sendable {
  case notA(String)
  /// None of these members is there.
  case missing([String])
  /// More than one of these members is there.
  case several([String])
  case unknownMember(known: [String])
  /// The same name twice in one object.
  case repeated
  case unknownOption(String, known: [String])
  case duplicateIdentifier(String)
  /// The eleventh action.
  case tooMany
  /// An action that is destructive and asks for text.
  case destructiveInput
  /// `title-loc-args` without `title-loc-key`.
  case argumentsWithoutKey

  /// The most actions of a category that iOS shows (UNNotificationCategory).
  package static let maximumActions = 10
  /// The most actions that a banner shows.
  package static let bannerActions = 4
  /// The longest text, in bytes. No button has room for more.
  static let maximumText = 1_000
  static let text = "a string of 1 to \(maximumText) bytes"

  fileprivate var statement: String {
    switch self {
    case .notA(let kind): "is not \(kind)"
    case .missing(let names): "has no \(names.joined(separator: " or "))"
    case .several(let names): "has more than one of \(names.joined(separator: ", "))"
    case .unknownMember: "is unknown"
    case .repeated: "appears twice"
    case .unknownOption(let name, _): "has the unknown option '\(name)'"
    case .duplicateIdentifier(let name): "has the identifier '\(name)' of an action before it"
    case .tooMany: "is one more than the \(Self.maximumActions) actions that iOS shows"
    case .destructiveInput: "is destructive and asks for text"
    case .argumentsWithoutKey: "has title-loc-args without a title-loc-key"
    }
  }

  /// What to write instead; nil if the statement says so.
  fileprivate var remedy: String? {
    switch self {
    case .notA: nil
    case .missing(let names): "add \(names.joined(separator: " or "))"
    case .several: "keep one"
    case .unknownMember(let known), .unknownOption(_, let known): "write \(known.alternatives)"
    case .repeated: "remove one"
    case .duplicateIdentifier: "give each action its own"
    case .tooMany: "remove it, or another"
    case .destructiveInput: "leave out destructive or textInput"
    case .argumentsWithoutKey: "add title-loc-key, or remove the arguments"
    }
  }

  /// What happens on a device.
  fileprivate var effect: String {
    switch self {
    case .notA, .missing, .argumentsWithoutKey: "iOS cannot make a button from it"
    case .several: "only one can be used"
    case .unknownMember, .unknownOption, .repeated, .duplicateIdentifier, .tooMany: "iOS drops it"
    case .destructiveInput: "iOS drops the option"
    }
  }
}

/// A problem and its place.
package struct CategoryFinding: Equatable, Sendable {
  /// Spelled like `MESSAGE.actions.0.title`; empty for the whole file.
  package let path: String
  package let position: JSONPosition
  package let problem: CategoryProblem

  private var subject: String { path.isEmpty ? "the file" : path }
  /// The message for the author of a file: the line, and what would be right.
  package var advice: String {
    "\(position): \(subject) \(problem.statement)\(problem.remedy.map { ": \($0)" } ?? "")"
  }
  /// The message for the sender of a payload.
  package var explanation: String { "\(subject) \(problem.statement): \(problem.effect)" }
}

extension [String] {
  /// As part of a sentence: `a, b or c`.
  fileprivate var alternatives: String {
    count < 2 ? joined() : "\(dropLast().joined(separator: ", ")) or \(self[count - 1])"
  }
}
