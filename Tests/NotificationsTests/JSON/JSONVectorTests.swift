import Notifications
import TestSupport
import Testing

/// The texts of github.com/nst/JSONTestSuite: `y_` is JSON, `n_` is not, `i_` is left open.
@Suite struct JSONVectorTests {
  static let folder = "\(Fixtures.vectors)/json/test_parsing"
  static let names = Files.names(in: folder).filter { $0.hasSuffix(".json") }

  @Test func allAreHere() {
    #expect(
      Dictionary(grouping: Self.names) { $0.prefix(2) }.mapValues(\.count) == ["y_": 95, "n_": 188, "i_": 35])
  }

  @Test(arguments: names)
  func verdict(name: String) throws {
    let bytes = try Files.read(Self.folder + "/" + name)
    let document = try? JSONDocument(bytes)
    switch name.first {
    case "y": #expect(document != nil)
    case "n": #expect(document == nil)
    default: break
    }
    if let document { #expect(document.bytes == bytes) }
  }

  /// Of the texts that the RFC leaves open, the ones refused are not UTF-8 or deeper than 128.
  @Test func leftOpen() throws {
    let accepted = Self.names.filter { name in
      name.hasPrefix("i_") && (try? JSONDocument(Files.read(Self.folder + "/" + name))) != nil
    }
    let numbersAndEscapes = Self.names.filter { name in
      name.hasPrefix("i_number") || name.hasPrefix("i_object_key_lone")
        || name.hasPrefix("i_string") && name.contains("surrogate") && !name.contains("UTF8")
        || name.hasPrefix("i_string_1st")
    }
    #expect(accepted == numbersAndEscapes)
  }
}
