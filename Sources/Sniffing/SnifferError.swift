/// Why a sniffer cannot be made. Examining never fails: an unknown body is rejected.
package enum SnifferError: Error, Equatable, CustomStringConvertible {
  /// libmagic cannot be opened: there is not enough memory.
  case magicUnavailable
  /// libmagic cannot read its database (Debian: `/usr/lib/file/magic.mgc`). `reason` is its text.
  case databaseUnreadable(reason: String)
  /// libmagic names `sample` differently from the version that this was tested with.
  case answersOtherwise(sample: String, answer: String)

  package var description: String {
    switch self {
    case .magicUnavailable: "libmagic cannot be opened: there is not enough memory"
    case .databaseUnreadable(let reason):
      "libmagic cannot read its database: \(reason): reinstall libmagic-mgc"
    case .answersOtherwise(let sample, let answer):
      "libmagic takes \(sample) for '\(answer)': reinstall libmagic1 and libmagic-mgc, version 5.44 or later"
    }
  }
}
