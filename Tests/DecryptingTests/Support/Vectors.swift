import Foundation
import TestSupport

/// The published vectors for encryption.
enum Vectors {
  /// - Returns: nil if the file is missing or has another format. `VectorCountTests` notices that.
  static func read<File: Decodable>(_ name: String, as type: File.Type) -> File? {
    guard let bytes = try? Files.read("\(Fixtures.vectors)/encryption/\(name)") else { return nil }
    return try? JSONDecoder().decode(type, from: Data(bytes))
  }

  /// All tests of a file of C2SP/wycheproof, each with its group.
  static func wycheproof<Group: WycheproofGroup>(_ name: String, as type: Group.Type) -> [WycheproofCase<
    Group
  >] {
    let file = read("wycheproof/\(name)", as: WycheproofFile<Group>.self)
    return (file?.testGroups ?? []).flatMap { group in
      group.tests.map { WycheproofCase(group: group, test: $0) }
    }
  }
}

protocol WycheproofGroup: Decodable, Sendable {
  associatedtype Test: WycheproofTest
  var tests: [Test] { get }
}

protocol WycheproofTest: Decodable, Sendable {
  var tcId: Int { get }
  var comment: String { get }
  var result: String { get }
}

struct WycheproofFile<Group: WycheproofGroup>: Decodable {
  let testGroups: [Group]
}

struct WycheproofCase<Group: WycheproofGroup>: Sendable, CustomStringConvertible {
  let group: Group
  let test: Group.Test

  var isValid: Bool { test.result == "valid" }
  var description: String { "\(test.tcId) \(test.result) \(test.comment)" }
}

/// A group without parameters: each test has everything that it needs.
struct PlainGroup<Test: WycheproofTest>: WycheproofGroup {
  let tests: [Test]
}

struct AEADTest: WycheproofTest {
  let tcId: Int
  let comment: String
  let result: String
  let key: String
  let iv: String
  let aad: String
  let msg: String
  let ct: String
  let tag: String
}
