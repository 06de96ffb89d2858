import Glibc

/// Where the test files are, beside this package's sources.
package enum Fixtures {
  /// The folder of `Package.swift`.
  package static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    .dropLast(4).joined(separator: "/")

  /// Small real files of each kind.
  package static let media = "\(root)/Fixtures/media"
  /// `<case>.json` with `<case>.expected.json`.
  package static let payloads = "\(root)/Fixtures/payloads"
  /// `<case>.json`: what `--write in-place` makes of the payload of that name.
  package static let inPlace = "\(root)/Fixtures/in-place"

  /// The published test vectors: `PUSH_ENRICHER_VECTORS`, else `../shared/vectors`; nil where they are not there.
  package static let vectors: String? = {
    let path = unsafe getenv("PUSH_ENRICHER_VECTORS").map { unsafe String(cString: $0) }
    let candidate = path ?? "\(root)/../shared/vectors"
    return Files.exists(candidate) ? candidate : nil
  }()

  /// The paths of the vectors in one of their folders whose names end so, sorted; none where there are no vectors, so
  /// that a test with these arguments has no cases there.
  package static func vectors(in folder: String, ending suffix: String = "") -> [String] {
    vectors.map { files(in: "\($0)/\(folder)", ending: suffix) } ?? []
  }

  /// The paths of the files in a folder whose names end so, sorted; none where there is no such folder.
  package static func files(in folder: String, ending suffix: String = "") -> [String] {
    Files.names(in: folder).filter { $0.hasSuffix(suffix) }.map { "\(folder)/\($0)" }
  }
}
