/// What was pruned, or would be.
package struct PruneResult: Equatable, Sendable {
  /// Files removed.
  package var files = 0
  /// Their sizes together.
  package var bytes = 0
  /// Files of the store that stay, because they are in use.
  package var kept = 0
  /// Files that are unused and could not be removed.
  package var failed = 0
  /// Why the first of these could not.
  package var failure: StoreError?

  package init(files: Int = 0, bytes: Int = 0, kept: Int = 0) {
    self.files = files
    self.bytes = bytes
    self.kept = kept
  }
}
