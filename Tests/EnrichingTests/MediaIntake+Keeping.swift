import Storing

@testable import Enriching

extension MediaIntake {
  /// What becomes of it in a group of one.
  func keep() throws(Failure) -> Kept {
    let (file, format) = try finish()
    do throws(StoreError) {
      return (try store.keep([file])[0].get(), format)
    } catch {
      throw Failure(error)
    }
  }
}
