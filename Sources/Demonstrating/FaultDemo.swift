internal import Misbehaving

/// Runs every known attack on a worker, with one payload each.
package struct FaultDemo {
  /// The deadline for attacks that nothing else ends.
  private static let deadline = "5s"
  /// Room for all endless attacks at once, each from a host that does not answer, and for HTTP/2.
  private static let arguments = ["--concurrency", "32", "--memory", "32MB"]
  private static let floodsAtOnce = 8

  private let attacks: [Attack]
  private let stage: DemoStage

  /// - Parameter names: the attacks to run, separated by commas; nil for all.
  package init(_ names: String?, on stage: DemoStage) throws(DemoError) {
    self.stage = stage
    var attacks = names == nil ? Attack.all : []
    for name in names?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
      guard let attack = Attack.all.first(where: { $0.name == name }) else {
        let known = Attack.all.map(\.name).joined(separator: ", ")
        throw DemoError("there is no attack '\(name)': choose from \(known)")
      }
      if !attacks.contains(where: { $0.name == name }) { attacks.append(attack) }
    }
    self.attacks = attacks
  }

  /// - Returns: how many payloads did not come out as they should.
  package func run() async throws -> Int {
    let store = try TemporaryFolder()
    let certificates = try TemporaryFolder()
    let path = store.path
    return try await withAttacks(attacks, in: certificates.path) { sites in
      stage.show(
        "Each attack has a server of its own on 127.0.0.1. If nothing else stops it, the deadline of \(Self.deadline) does.\n"
      )
      stage.show(FaultCase.heading)
      let cases = sites.map { FaultCase($0, deadline: Self.deadline) }
      let work = DemoWork(folder: path, arguments: Self.arguments + sites.flatMap(\.options), stage: stage)
      var results = try await work.run(cases.filter(\.attack.isEndless).map(\.sent))
      // Runs a few at a time, so that none waits for the floods of all the others.
      let brief = cases.filter { !$0.attack.isEndless }.map(\.sent)
      for first in stride(from: 0, to: brief.count, by: Self.floodsAtOnce) {
        let some = Array(brief.dropFirst(first).prefix(Self.floodsAtOnce))
        results.merge(try await work.run(some)) { $1 }
      }
      return stage.show(cases, results, asTheyShould: "attacks ended as they should")
    }
  }
}
