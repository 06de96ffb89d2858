import Storing

@testable import Enriching

extension MediaIntake {
  /// What becomes of it in a group of one.
  func keep() throws -> Kept {
    let (file, format) = try finish()
    return (try store.keep([file])[0].get(), format)
  }
}
