import Storing

@testable import Enriching

extension MediaIntake {
  /// Commits its file in a group of one.
  func commit() throws(Failure) -> CommittedMedium {
    let (file, format) = try finish()
    do throws(StoreError) {
      return CommittedMedium(file: try store.commit([file])[0].get(), format: format)
    } catch {
      throw Failure(error)
    }
  }
}
