import Sniffing
import Storing

@testable import Enriching

extension MediaIntake {
  /// Commits its file in a group of one, to the store in the directory of its spool.
  func commit() throws -> (file: StoredFile, format: MediaFormat) {
    guard let file = try finish(), let format else {
      throw failure ?? Failure(.typeUnsupported, "there is no body")
    }
    return (try DirectoryStore(path: spools.path).commit([file])[0].get(), format)
  }
}
