internal import Sniffing
internal import Storing

/// What was taken out of a store because nobody has used it for a time.
package struct Pruning: Equatable, Sendable {
  /// What counts as in use whatever is asked for, in seconds.
  package static let leastAge = DirectoryStore.leastAge

  package let files: Int
  /// Of these files together.
  package let bytes: Int
  /// Files that are in use.
  package let kept: Int
  /// Files that nobody has used and that cannot be removed.
  package let failed: Int
  /// Why the first of these cannot; nil where there are none.
  package let failure: String?

  /// Blocks on the disk.
  /// - Parameters:
  ///   - path: the store's directory.
  ///   - age: since the last use, in seconds; `leastAge` at the least.
  ///   - isTrial: whether all stays as it is.
  /// - Throws: `Failure` with `store-failed`.
  package init(ofStore path: String, unusedFor age: Int, isTrial: Bool) throws(Failure) {
    do throws(StoreError) {
      let collection = try DirectoryStore(path: path).collect(
        unusedFor: age, extensions: Set(MediaFormat.allCases.map(\.filenameExtension)), isTrial: isTrial)
      files = collection.files
      bytes = collection.bytes
      kept = collection.kept
      failed = collection.failed
      failure = collection.failure.map { "\($0)" }
    } catch {
      throw Failure(error)
    }
  }
}
