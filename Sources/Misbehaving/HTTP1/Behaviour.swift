/// How a `HostileServer` treats a request: a row for each way in which a server fails, lies or
/// attacks. Comments on clients are about libcurl 7.88 with its defaults.
package struct Behaviour: Hashable, Sendable, CustomStringConvertible {
  /// What happens to a connection after a request on it is answered.
  package enum Ending: Sendable { case keepsAlive, closes }

  package typealias Answer = @Sendable (Connection, Request) async throws -> Ending

  /// The name of the row. The paths of its URLs begin with it.
  let name: String
  private let arguments: [any Hashable & Sendable]
  package let answer: Answer

  /// - Parameter row: the function that makes the behaviour. `arguments` distinguish the behaviours that it makes.
  package init(
    _ arguments: [any Hashable & Sendable] = [], row: String = #function, answer: @escaping Answer
  ) {
    name = String(row.prefix { $0 != "(" })
    self.arguments = arguments
    self.answer = answer
  }

  static func closing(
    _ arguments: [any Hashable & Sendable] = [], row: String = #function,
    answer: @escaping @Sendable (Connection, Request) async throws -> Void
  ) -> Behaviour {
    Behaviour(arguments, row: row) { connection, request in
      try await answer(connection, request)
      return .closes
    }
  }

  private var key: [AnyHashable] { [name] + arguments.map { AnyHashable($0) } }
  package static func == (one: Behaviour, other: Behaviour) -> Bool { one.key == other.key }
  package func hash(into hasher: inout Hasher) { hasher.combine(key) }

  package var description: String {
    arguments.isEmpty ? name : "\(name)(\(arguments.map { "\($0)" }.joined(separator: ", ")))"
  }
}
