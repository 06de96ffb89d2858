/// A file that has no name yet (`O_TMPFILE`), and the digest of what is in it.
///
/// It vanishes with its last copy, or with the process, unless `DirectoryStore.commit` gives it its name: a
/// crash leaves nothing behind, and no reader ever sees half a file.
struct UnnamedFile: Sendable {
  let descriptor: Descriptor
  let digest: FollowingDigest
  /// How many groups had failed when it was made: `GroupSync.failures`.
  let failures: Int
}
