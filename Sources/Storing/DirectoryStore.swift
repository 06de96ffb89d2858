internal import Glibc

/// A directory of verified media files, each named after its content: `<sha256>.<extension>`.
///
/// The same content is stored once, whoever sends it. A file exists under its name only when all of it is there.
package final class DirectoryStore: Sendable {
  /// Where the files lie, absolute and without symbolic links.
  package let path: String
  private let descriptor: Int32

  /// Opens `path`.
  /// - Parameter creating: whether a directory that is missing is made (its parent has to be there).
  /// - Throws: `StoreError.directoryMissing`, `.notADirectory`, `.notWritable`, …
  package init(path: String, creating: Bool = false) throws(StoreError) {
    if creating, unsafe mkdir(path, 0o755) != 0, errno != EEXIST {
      throw StoreError(errno, operation: "making the directory", path: path)
    }
    descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreError(errno, operation: "opening", path: path) }
    guard let resolved = unsafe realpath(path, nil) else {
      let code = errno
      close(descriptor)
      throw StoreError(code, operation: "resolving", path: path)
    }
    self.path = unsafe String(cString: resolved)
    unsafe free(resolved)
  }

  deinit { close(descriptor) }

  /// An empty file on the store's own file system, so that it can be linked there later.
  package func makeFile() throws(StoreError) -> IncomingFile {
    // glibc's O_TMPFILE is an expression that is not imported; __O_TMPFILE is the same on every Linux but Alpha, PA-RISC and SPARC.
    let unnamed: Int32 = 0o20_000_000 | O_DIRECTORY
    let file = unsafe openat(descriptor, ".", unnamed | O_RDWR | O_CLOEXEC, 0o644)
    guard file >= 0 else {
      let code = errno
      var status = stat()
      // What the file system says of a directory that was removed differs: ext4 says EPERM.
      let isRemoved = unsafe fstat(descriptor, &status) == 0 && status.st_nlink == 0
      throw StoreError(isRemoved ? ENOENT : code, operation: "making a file", path: path)
    }
    return try IncomingFile(descriptor: file, directory: path)
  }

  /// Makes `file` durable and gives it its name.
  ///
  /// Blocks until the disk has it: call it where blocking is allowed.
  /// - Parameter filenameExtension: what the content deserves, without a dot.
  /// - Throws: `StoreError`; nothing of `file` is left then.
  package func keep(
    _ file: consuming IncomingFile, filenameExtension: String
  ) throws(StoreError) -> StoredFile {
    let digest = try file.finishDigest()
    let stored = StoredFile(name: "\(digest).\(filenameExtension)", size: file.size, sha256: digest)
    // The content first, its name after it: a name that survives a power cut then stands for all of the content.
    guard fdatasync(file.descriptor) == 0 else {
      throw StoreError(errno, operation: "writing", path: path)
    }
    // Through /proc, because AT_EMPTY_PATH asks for a capability that a worker should not have.
    let unnamed = "/proc/self/fd/\(file.descriptor)"
    if unsafe linkat(AT_FDCWD, unnamed, descriptor, stored.name, AT_SYMLINK_FOLLOW) != 0 {
      guard errno == EEXIST else { throw StoreError(errno, operation: "linking", path: path) }
      try expectSameSize(as: stored)
    }
    guard fsync(descriptor) == 0 else { throw StoreError(errno, operation: "syncing", path: path) }
    return stored
  }

  /// The same name is the same content, unless somebody changed the file.
  private func expectSameSize(as stored: StoredFile) throws(StoreError) {
    var status = stat()
    guard unsafe fstatat(descriptor, stored.name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      throw StoreError(errno, operation: "looking up a file", path: path)
    }
    guard status.st_size == stored.size else { throw .nameOccupied(path: "\(path)/\(stored.name)") }
  }
}
