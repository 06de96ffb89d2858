/// Why a sniffer cannot be made. Examining never fails: a body that is not recognised is rejected.
package enum SnifferError: Error, Equatable, CustomStringConvertible {
  /// libmagic gave no cookie: no memory.
  case magicUnavailable
  /// libmagic cannot read its database (Debian: `/usr/lib/file/magic.mgc`). `reason` is its own text.
  case databaseUnreadable(reason: String)
  /// libmagic names `sample` differently from the version that this was tested with.
  case answersOtherwise(sample: String, answer: String)

  package var description: String {
    switch self {
    case .magicUnavailable: "libmagic does not start: there is no memory"
    case .databaseUnreadable(let reason):
      "libmagic cannot read its database: \(reason): reinstall libmagic-mgc"
    case .answersOtherwise(let sample, let answer):
      "libmagic takes \(sample) for '\(answer)': reinstall libmagic1 and libmagic-mgc, in a version from 5.44 on"
    }
  }
}
