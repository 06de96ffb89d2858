// The members of `stat` belong to CLinux where that is loaded before Glibc.
internal import CLinux
internal import Glibc
internal import Supporting

/// A directory on this machine whose file system holds the bodies that arrive.
package final class SpoolDirectory: Sendable {
  /// Absolute and without symbolic links.
  package let path: String
  /// The path as it was given.
  private let givenPath: String
  let descriptor: Int32
  let settings: StoreSettings
  let unwritten: UnwrittenBytes?
  let buffers: WriteBufferPool
  let groups = GroupSync()
  package let activity = StoreActivity()

  /// How much of a file is buffered before it is written, in bytes.
  package var pieceBytes: Int { settings.pieceBytes }

  /// - Throws: `StoreError.directoryMissing`, `.notADirectory`, `.notWritable`, …
  package init(path: String, _ settings: StoreSettings) throws(StoreError) {
    descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreError(errno, operation: "opening", path: path) }
    guard let resolved = realPath(of: path) else {
      let code = errno
      close(descriptor)
      throw StoreError(code, operation: "resolving", path: path)
    }
    givenPath = path
    self.path = resolved
    self.settings = settings
    buffers = WriteBufferPool(isMemoryPlenty: settings.isMemoryPlenty)
    unwritten = settings.unwrittenBytes.map { UnwrittenBytes(maximum: $0) }
  }

  deinit { close(descriptor) }

  /// A spool for a body that begins.
  /// - Parameter announced: how long it will be, in bytes, if that is known. If it fits into a buffer, and one is
  ///   free, its file is made and written when it is finished, so that it is received without the disk. Otherwise
  ///   the file is made here, which blocks on the disk.
  package func makeSpool(announced: Int? = nil) throws(StoreError) -> Spool {
    let buffer = pieceBytes == 0 ? buffers.take(for: announced) : nil
    var spool = Spool(in: self, announced: announced, buffer: buffer)
    if !spool.isBufferedWhole { try spool.open() }
    return spool
  }

  /// An empty file without a name.
  func makeFile() throws(StoreError) -> Descriptor {
    // glibc's O_TMPFILE is an expression that is not imported; __O_TMPFILE is the same on every Linux but
    // Alpha, PA-RISC and SPARC.
    let unnamed: Int32 = 0o20_000_000 | O_DIRECTORY
    let file = unsafe openat(descriptor, ".", unnamed | O_RDWR | O_CLOEXEC, 0o644)
    guard file >= 0 else {
      let code = errno
      // What the file system says of a directory that was removed differs: ext4 says EPERM.
      throw absence ?? StoreError(code, operation: "making a file", path: path)
    }
    return Descriptor(file)
  }

  /// Makes the content of files durable, if the settings want that: one sync costs the disk the same for one file
  /// as for many.
  /// - Returns: the errors, by descriptor, of files that are not durable.
  func makeDurable(_ files: [SpooledFile]) -> [Int32: StoreError] {
    let failures = files.map(\.failures).min() ?? 0
    if !settings.isDurable || groups.sync(files.count, begunAfter: failures, on: descriptor) { return [:] }
    var errors: [Int32: StoreError] = [:]
    for file in files.map(\.descriptor.number) {
      do throws(StoreError) { try sync(file) } catch { errors[file] = error }
    }
    return errors
  }

  func sync(_ file: Int32) throws(StoreError) {
    // Metadata too: for a directory it is all there is, and a new file's size is part of it.
    guard fsync(file) == 0 else { throw StoreError(errno, operation: "syncing", path: path) }
  }

  /// Why nobody finds what is stored here: the directory has lost its name. Nil while it has it.
  var absence: StoreError? {
    var named = stat()
    guard unsafe stat(givenPath, &named) == 0 else {
      return errno == ENOENT || errno == ENOTDIR ? .directoryMissing(path: path) : nil
    }
    guard let own = fileStatus(of: descriptor), (own.st_dev, own.st_ino) != (named.st_dev, named.st_ino)
    else {
      return nil
    }
    return .directoryReplaced(path: path)
  }
}
