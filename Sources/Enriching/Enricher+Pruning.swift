internal import Sniffing
package import Storing

extension Enricher {
  /// Removes the media of a store that nobody has used for a time. Blocks on the disk.
  /// - Parameters:
  ///   - path: the store's directory.
  ///   - age: since the last use, in seconds; `DirectoryStore.leastAge` at least.
  ///   - isDryRun: whether nothing is removed.
  /// - Throws: `Failure` with `store-failed`.
  package static func pruneStore(
    at path: String, unusedFor age: Int, isDryRun: Bool
  ) throws(Failure) -> PruneResult {
    try rethrowing(as: Failure.init) { () throws(StoreError) in
      try DirectoryStore(path: path).prune(
        unusedFor: age, extensions: Set(MediaFormat.allCases.map(\.filenameExtension)), isDryRun: isDryRun)
    }
  }
}
