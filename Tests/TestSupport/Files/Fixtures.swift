import Glibc

/// Where the test files are, in the sources of this package.
package enum Fixtures {
  /// The folder of `Package.swift`.
  package static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    .dropLast(4).joined(separator: "/")

  /// Small real files of each kind.
  package static let media = "\(root)/Fixtures/media"
  /// Movies and sounds with an unusual structure.
  package static let movies = "\(root)/Fixtures/movies"
  /// Files that iOS plays although they look foreign, files that it does not play although they look right,
  /// and files that it may not show.
  package static let policy = "\(root)/Fixtures/policy"
  /// Images of all kinds. iOS does not accept all of them, and some are too large.
  package static let images = "\(root)/Fixtures/images"
  /// Files that look like one kind and are another, and rare kinds.
  package static let lookAlikes = "\(root)/Fixtures/look-alikes"
  /// `<case>.json` with `<case>.expected.json`.
  package static let payloads = "\(root)/Fixtures/payloads"
  /// `<case>.json` with `<case>.expected.json`: messages with payloads in them. In its folder
  /// `in-place`, there is the result of `--write in-place`.
  package static let envelopes = "\(root)/Fixtures/envelopes"
  /// `<case>.json`: the result of `--write in-place` for the payload of that name.
  package static let inPlace = "\(root)/Fixtures/in-place"

  /// Published test vectors, with their sources and licences.
  package static let vectors = "\(root)/Fixtures/vectors"

  /// Media of public test suites, whose licences keep them out of this repository. They are in
  /// `media` below `PUSH_ENRICHER_VECTORS`, or below `../shared/vectors` if that is not set. They
  /// are optional.
  package static let publicMedia: String = {
    let folder = unsafe getenv("PUSH_ENRICHER_VECTORS").map { unsafe String(cString: $0) }
    return "\(folder ?? "\(root)/../shared/vectors")/media"
  }()

  /// The sorted paths of the files in a folder that end in `suffix`; empty without such a folder.
  package static func files(in folder: String, ending suffix: String = "") -> [String] {
    Files.names(in: folder).filter { $0.hasSuffix(suffix) }.map { "\(folder)/\($0)" }
  }
}
