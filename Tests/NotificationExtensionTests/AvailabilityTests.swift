import Foundation
import TestSupport
import Testing

/// The compiler for Linux does not check which of Apple's systems have a declaration, but its own interfaces say so.
@Suite("The systems that the library is for") struct AvailabilityTests {
  @Test("the library uses nothing of Swift that came after iOS 16 and macOS 13") func swift() async throws {
    let newer = try await Self.declarations(after: 13)
    #expect(newer.isSuperset(of: ["withDiscardingTaskGroup", "InlineArray", "Mutex"]))
    let folder = "\(Fixtures.root)/Sources/NotificationExtension"
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
    #expect(files.count > 10)
    for file in files {
      let code = try Self.lines(of: "\(folder)/\(file)").filter { !$0.contains("//") }
      #expect(newer.intersection(code.flatMap(Self.words)) == [], "\(file)")
    }
  }

  /// The names of types and functions that came after this version of macOS.
  private static func declarations(after version: Int) async throws -> Set<String> {
    let info = try await Command("\(ArticleTests.toolchain)/swiftc").runSuccessfully(["-print-target-info"])
    let folder = try #require(info.output.firstMatch(of: #/"runtimeResourcePath": "(.+)"/#)?.output.1)
    let kinds: Set = ["func", "struct", "class", "enum", "protocol", "typealias"]
    let available = "@available(macOS "
    var names: Set<String> = []
    for module in ["Swift", "_Concurrency", "Synchronization"] {
      let files = Fixtures.files(in: "\(folder)/linux/\(module).swiftmodule", ending: ".swiftinterface")
      var isNewer = false
      for line in try lines(of: try #require(files.last)) {
        if line.hasPrefix(available) {
          isNewer = words(in: line.dropFirst(available.count)).first.flatMap { Int($0) } ?? 0 > version
        }
        guard isNewer else { continue }
        let found = words(in: line)
        if let kind = found.firstIndex(where: kinds.contains), kind + 1 < found.count {
          names.insert(found[kind + 1])
        }
        // The attributes of a declaration may be in the lines before it.
        isNewer = line.hasPrefix("@")
      }
    }
    return names
  }

  private static func lines(of path: String) throws -> [Substring] {
    String(decoding: try Files.read(path), as: UTF8.self).split(separator: "\n")
  }

  private static func words(in line: Substring) -> [String] {
    line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
  }
}
