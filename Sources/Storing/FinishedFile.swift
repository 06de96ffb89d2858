/// A file that has all of its content and its digest, and no name yet. It vanishes with its last copy, unless
/// `DirectoryStore.commit` gives it its name.
package struct FinishedFile: Sendable {
  let descriptor: Descriptor
  let stored: StoredFile
  /// How many groups had failed when it was made.
  let failures: Int
}
