import Synchronization

/// A DNS server on loopback that gives the configured answers, over UDP and, if an answer says so,
/// over TCP. Made by `withNameServer`.
///
/// Names without an answer do not exist.
package final class NameServer: Sendable {
  private struct State {
    var answers: [String: NameAnswer]
    var asked: [NameQuestion: Int] = [:]
  }

  /// Its port on 127.0.0.1.
  package let port: Int
  private let state: Mutex<State>

  init(port: Int, answers: [String: NameAnswer]) {
    self.port = port
    let lowered = answers.map { ($0.key.lowercased(), $0.value) }
    state = Mutex(State(answers: Dictionary(lowered) { $1 }))
  }

  /// Its address as resolvers expect it in their lists of servers: `127.0.0.1:PORT`.
  package var address: String { "127.0.0.1:\(port)" }

  /// Changes the answer from now on.
  package func answer(_ name: String, with answer: NameAnswer) {
    state.withLock { $0.answers[name.lowercased()] = answer }
  }

  /// How often this question was asked, including repetitions.
  package func queries(for name: String, _ kind: NameQuestion.Kind) -> Int {
    state.withLock { $0.asked[NameQuestion(name: name.lowercased(), kind: kind)] ?? 0 }
  }

  /// How often this name was asked for, whatever the kind of record.
  package func queries(for name: String) -> Int {
    state.withLock { state in
      state.asked.reduce(0) { $1.key.name == name.lowercased() ? $0 + $1.value : $0 }
    }
  }

  /// The number of all queries so far.
  package var queries: Int { state.withLock { $0.asked.values.reduce(0, +) } }

  /// Counts a question and returns the answer to it.
  func asked(_ question: NameQuestion) -> NameAnswer {
    state.withLock { state in
      let before = state.asked[question, default: 0]
      state.asked[question] = before + 1
      var answer = state.answers[question.name] ?? .nameError
      while true {
        switch answer {
        case .inTurn(let answers):
          answer = answers.isEmpty ? .silence : answers[min(before, answers.count - 1)]
        case .perFamily(let v4, let v6): answer = question.kind == .aaaa ? v6 : v4
        default: return answer
        }
      }
    }
  }
}
