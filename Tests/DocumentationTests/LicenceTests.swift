import Glibc
import TestSupport
import Testing

/// Distributing the image requires the notices of everything that is linked into the program.
@Suite("Licences")
struct LicenceTests {
  @Test("the notices and the article have every package and every archive that is linked")
  func notices() async throws {
    let manifest = String(decoding: try Files.read("\(Fixtures.root)/Package.swift"), as: UTF8.self)
    var parts = manifest.matches(of: #/\.package\(url: "[^"]+\/([a-z-]+)"/#).map { String($0.output.1) }
    for folder in Files.names(in: "\(Fixtures.root)/Sources") where folder.hasPrefix("C") {
      let map = "\(Fixtures.root)/Sources/\(folder)/module.modulemap"
      guard Files.exists(map) else { continue }
      let text = String(decoding: try Files.read(map), as: UTF8.self)
      parts += text.matches(of: #/link ":lib([a-z0-9]+)\.a"/#).map { String($0.output.1) }
    }
    #expect(parts.count >= 8)
    // The packages are where the build put them, three folders above the program.
    let build = PushEnricher.path.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
    // `swift` is looked up in the PATH of the test process.
    let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? ""
    let run = try await Command("\(Fixtures.root)/.ci/copyright").run(
      ["\(build.joined(separator: "/"))/checkouts"], environment: ["PATH": path])
    #expect(run.exitStatus == 0, "\(run.standardError)")
    #expect(
      run.output.hasPrefix("Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"))
    let article = try Documentation.article("Licence").text
    for part in parts + ["swift", "c-ares"] {
      #expect(run.output.contains("\nFiles: \(part)/*\nCopyright: "), "\(part)")
      #expect(article.contains(part), "\(part)")
    }
    // Every line of a licence is indented. Any other line would start a new field.
    for line in run.output.split(separator: "\n") {
      #expect(
        line.wholeMatch(of: #/ .*|(Format|Upstream-Name|Files|Copyright|License): .*/#) != nil, "\(line)")
    }
  }
}
