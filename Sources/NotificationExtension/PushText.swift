/// The texts of a push.
public struct PushText: Equatable, Sendable {
  public var title, subtitle, body: String

  public init(title: String = "", subtitle: String = "", body: String = "") {
    (self.title, self.subtitle, self.body) = (title, subtitle, body)
  }
}

/// Makes the new body of a push that is shown in place of some that were missed.
/// - Parameters:
///   - missed: how many, at least 1.
///   - push: the push that has arrived.
public typealias SummaryText = @Sendable (_ missed: UInt64, _ push: PushText) -> String

extension PushText {
  /// The default: the body, and a line below it, in English.
  public static let summary: SummaryText = { missed, push in
    let line =
      missed == 1 ? "You missed 1 earlier notification." : "You missed \(missed) earlier notifications."
    return push.body.isEmpty ? line : "\(push.body)\n\(line)"
  }
}
