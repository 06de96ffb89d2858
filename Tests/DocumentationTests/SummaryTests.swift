import TestSupport
import Testing

/// `.ci/summary` reads what `swift test --event-stream-output-path` writes.
@Suite("The summary of a test run", .timeLimit(.minutes(5)))
struct SummaryTests {
  private static let start = #"""
    {"kind":"test","payload":{"kind":"suite","id":"ATests.ASuite","name":"ASuite","displayName":"A suite"}}
    {"kind":"test","payload":{"kind":"function","id":"ATests.ASuite/a()/A.swift:1:2","name":"a()","displayName":"is quick","isParameterized":false}}
    {"kind":"test","payload":{"kind":"function","id":"ATests.ASuite/b(n:)/A.swift:3:2","name":"b(n:)","isParameterized":true}}
    {"kind":"event","payload":{"kind":"testCaseStarted","testID":"ATests.ASuite/b(n:)/A.swift:3:2","instant":{"absolute":1}}}
    {"kind":"event","payload":{"kind":"testStarted","testID":"ATests.ASuite/a()/A.swift:1:2","instant":{"absolute":1}}}
    {"kind":"event","payload":{"kind":"testEnded","testID":"ATests.ASuite/a()/A.swift:1:2","instant":{"absolute":2.5}}}
    {"kind":"event","payload":{"kind":"testCaseStarted","testID":"ATests.ASuite/b(n:)/A.swift:3:2","instant":{"absolute":2.5}}}
    {"kind":"event","payload":{"kind":"testCaseEnded","testID":"ATests.ASuite/b(n:)/A.swift:3:2","instant":{"absolute":3}}}

    """#
  private static let failure = #"""
    {"kind":"event","payload":{"kind":"issueRecorded","testID":"ATests.ASuite/b(n:)/A.swift:3:2","issue":{"isFailure":true,"isKnown":false},"messages":[{"symbol":"fail","text":"Expectation failed: n == 1"},{"symbol":"details","text":"n is the number"}]}}
    {"kind":"event","payload":{"kind":"testCaseEnded","testID":"ATests.ASuite/b(n:)/A.swift:3:2","instant":{"absolute":5}}}
    {"kind":"event","payload":{"kind":"runEnded","messages":[{"symbol":"fail","text":"Test run failed."}]}}

    """#
  private static let repeating = #"swift test --disable-xctest --filter '^ATests\.ASuite/b\(n:\)'"#

  @Test("has the slowest tests, what each failed one says, how to repeat it, and how the run ended")
  func failed() async throws {
    let expected = """
      The ten slowest tests, in seconds of all their cases:
         4.5 ATests: b(n:)
         1.5 ATests: is quick

      ATests.ASuite/b(n:): b(n:) failed. Repeat it with:
      \(Self.repeating)
      Expectation failed: n == 1
      n is the number

      Test run failed.

      """
    #expect(try await summary(Self.start + Self.failure) == expected)
  }

  @Test("of a run that has crashed names the tests that were running") func crashed() async throws {
    let expected = """
      The ten slowest tests, in seconds of all their cases:
         1.5 ATests: is quick

      ATests.ASuite/b(n:): b(n:) was running. Repeat it with:
      \(Self.repeating)

      The run did not end.

      """
    #expect(try await summary(Self.start + Self.failure.prefix(20)) == expected)
  }

  private func summary(_ events: String) async throws -> String {
    try await withTemporaryDirectory { folder in
      let file = try folder.write(Array(events.utf8), to: "events")
      return try await Command("\(Fixtures.root)/.ci/summary").runSuccessfully([file]).output
    }
  }
}
