import Enriching
import Misbehaving
import TestSupport
import Testing

/// `demo --fault` runs each attack against the program, and shows the results.
@Suite("demo --fault", .timeLimit(.minutes(10)))
struct FaultDemoTests {
  /// Much longer than the demo takes, for slow machines.
  private static let limit = Duration.seconds(240)

  /// The columns of each row, by the first one.
  private static func rows(_ output: String) -> [String: [String]] {
    let rows = output.split(separator: "\n").map { line in
      line.split(separator: #/ {2,}/#).map { String($0) }
    }
    return Dictionary(rows.map { ($0[0], $0) }) { first, _ in first }
  }

  @Test("every attack has the expected result") func all() async throws {
    let run = try await PushEnricher.run(["demo", "--fault"], limit: Self.limit)
    let rows = Self.rows(run.output)
    for attack in Attack.all {
      let row = try #require(rows[attack.name], "\(attack.name) in \(run.output)")
      #expect(row.count == 5, "\(row)")
      #expect(row[1] == "unmodified", "\(row)")
      #expect(row[2].wholeMatch(of: #/\d+ ms/#) != nil, "\(row)")
      #expect(attack.reasons.contains(row[3]), "\(row)")
      #expect(row[4] == attack.defence, "\(row)")
    }
    try Self.expectExcerpt(of: run.output)
    let count = Attack.all.count
    #expect(run.output.hasSuffix("\n\(count) of \(count) attacks ended as they should\n"))
    #expect(run.standardError == "")
    #expect(run.exitStatus == 0)
  }

  /// The article Security shows some of the lines, with other times.
  private static func expectExcerpt(of output: String) throws {
    func timeless(_ text: some StringProtocol) -> Set<String> {
      Set(text.split(separator: "\n").map { String($0).replacing(#/ \d+ ms +/#, with: " ms ") })
    }
    let blocks = try Documentation.article("Security").blocks("console")
    let excerpt = try #require(blocks.first { $0.hasPrefix("$ push-enricher demo --fault\n") })
    let lines = timeless(excerpt).subtracting(["$ push-enricher demo --fault", "…"])
    #expect(lines.count > 5)
    #expect(lines.subtracting(timeless(output)) == [])
  }

  @Test("named attacks run once each") func some() async throws {
    let run = try await PushEnricher.run(
      ["demo", "--fault", "reset,http2-pings,reset"], limit: Self.limit)
    let rows = Self.rows(run.output)
    #expect(Set(Attack.all.map(\.name)).intersection(rows.keys) == ["reset", "http2-pings"])
    #expect(rows["reset"]?[3] == "connect-failed")
    #expect(rows["http2-pings"]?[3] == "http-status")
    #expect(run.output.hasSuffix("\n2 of 2 attacks ended as they should\n"))
    #expect(run.standardError == "")
    #expect(run.exitStatus == 0)
  }

  @Test("an unknown name of an attack is wrong usage", arguments: ["Reset", "reset,"])
  func unknown(names: String) async throws {
    let run = try await PushEnricher.run(["demo", "--fault=\(names)"])
    let known = Attack.all.map(\.name).joined(separator: ", ")
    #expect(run.standardError.hasSuffix("': choose from \(known)\n"), "\(run.standardError)")
    #expect(run.output == "")
    #expect(run.exitStatus == 64)
  }

  @Test("each attack has a unique name, and its reasons exist") func names() {
    #expect(Set(Attack.all.map(\.name)).count == Attack.all.count)
    for attack in Attack.all {
      #expect(attack.name.wholeMatch(of: #/[a-z0-9.]+(-[a-z0-9.]+)*/#) != nil, "\(attack)")
      #expect(!attack.reasons.isEmpty, "\(attack)")
      #expect(attack.reasons.allSatisfy { Reason(rawValue: $0) != nil }, "\(attack)")
    }
  }
}
