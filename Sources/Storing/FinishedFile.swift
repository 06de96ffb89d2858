/// A file with all of its content, which is hashed, and without a name still. It vanishes with its last copy, unless
/// `DirectoryStore.keep` gives it its name.
package struct FinishedFile: Sendable {
  let descriptor: Descriptor
  let stored: StoredFile
  /// How many groups had failed when it was begun.
  let failures: Int
}
