import TestSupport
import Testing

/// The article HowManyWorkers shows what `Tests/Benchmarks/workers` computes.
@Suite("Tables of workers", .timeLimit(.minutes(5)))
struct WorkerTableTests {
  @Test("are those of the simulation") func tables() async throws {
    let article = try Documentation.article("HowManyWorkers").text
    let tables = try await Self.simulate(["--table"]).split(separator: "\n\n")
    #expect(tables.count == 2)
    for table in tables { #expect(article.contains("\n\n\(table)\n\n"), "\(table)") }
  }

  @Test("the example prints what the article shows") func example() async throws {
    let block = try #require(try Documentation.article("HowManyWorkers").blocks("console").first)
    let lines = block.split(separator: "\n")
    let words = try #require(lines.first).split(separator: " ").map { String($0) }
    #expect(words.prefix(2) == ["$", "Tests/Benchmarks/workers"])
    #expect(try await Self.simulate(Array(words.dropFirst(2))) == lines.dropFirst().joined(separator: "\n"))
  }

  /// - Returns: what it prints, without the last line feed.
  private static func simulate(_ options: [String]) async throws -> String {
    let run = try await Command("/usr/bin/python3").runSuccessfully(
      ["\(Fixtures.root)/Tests/Benchmarks/workers"] + options)
    return String(run.output.dropLast())
  }
}
