internal import CLinux
internal import Dispatch
internal import Glibc
internal import Supporting

/// A local directory whose file system holds the bodies that arrive.
package final class SpoolDirectory: Sendable {
  /// Absolute and without symbolic links.
  package let path: String
  /// The path as it was given.
  private let givenPath: String
  let descriptor: Int32
  package let settings: StoreSettings
  let unwritten: UnwrittenBytes?
  let buffers: WriteBufferPool
  /// Hashes files. It is a queue of its own, because the others may wait for a disk.
  let hashing = DispatchQueue(label: "push-enricher.hashing")
  let groups = GroupSync()
  package let activity = StoreActivity()

  /// - Throws: `StoreError.directoryMissing`, `.notADirectory`, `.notWritable`, …
  package init(path: String, _ settings: StoreSettings) throws(StoreError) {
    descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreError(errno, operation: "opening", path: path) }
    guard let resolved = realPath(of: path) else {
      let code = errno
      close(descriptor)
      throw StoreError(code, operation: "resolving", path: path)
    }
    (givenPath, self.path, self.settings) = (path, resolved, settings)
    buffers = WriteBufferPool(isMemoryPlenty: settings.isMemoryPlenty)
    unwritten = settings.unwrittenBytes.map { UnwrittenBytes(maximum: $0) }
  }

  deinit { close(descriptor) }

  /// Keeps systemd from cleaning up the directory while it is in use. Below /var/tmp, systemd removes what is older
  /// than 30 days, but it skips locked directories (tmpfiles.d(5)).
  package func keepFromCleaning() { _ = flock(descriptor, LOCK_SH | LOCK_NB) }

  /// - Parameter announced: the length of the body in bytes, if known. If a free buffer can hold
  ///   it, `finish` makes the file. Otherwise the file is made here, which blocks on the disk.
  package func makeSpool(announced: Int? = nil) throws(StoreError) -> Spool {
    let buffer = settings.pieceBytes == 0 ? buffers.take(for: announced) : nil
    var spool = Spool(in: self, announced: announced, buffer: buffer)
    if !spool.isBufferedWhole { try spool.open() }
    return spool
  }

  /// An empty file without a name.
  func makeFile() throws(StoreError) -> Descriptor {
    // Swift does not import O_TMPFILE. Only Alpha, PA-RISC and SPARC have another value.
    let unnamed: Int32 = 0o20_000_000 | O_DIRECTORY
    // Read before the file exists, so that no error of the file is missed.
    let failures = groups.failures
    let file = unsafe openat(descriptor, ".", unnamed | O_RDWR | O_CLOEXEC, 0o644)
    guard file >= 0 else {
      let code = errno
      // For a removed directory, file systems give different errors: ext4 gives EPERM.
      throw absence ?? StoreError(code, operation: "making a file", path: path)
    }
    return Descriptor(file, failures: failures)
  }

  /// Makes the content of files durable if the settings ask for it. One sync serves many files.
  /// - Returns: the error of each file that is not durable, keyed by its descriptor.
  func makeDurable(_ files: [SpooledFile]) -> [Int32: StoreError] {
    let failures = files.map(\.descriptor.failures).min() ?? 0
    if !settings.isDurable || groups.sync(files.count, begunAfter: failures, on: descriptor) { return [:] }
    var errors: [Int32: StoreError] = [:]
    for file in files.map(\.descriptor.number) {
      do throws(StoreError) { try sync(file) } catch { errors[file] = error }
    }
    return errors
  }

  func sync(_ file: Int32) throws(StoreError) {
    // Not fdatasync(2): a directory is nothing but metadata, and so is the size of a new file.
    guard fsync(file) == 0 else { throw StoreError(errno, operation: "syncing", path: path) }
  }

  /// Why files stored here would not be found: the path no longer leads to this directory. Nil if it does.
  var absence: StoreError? {
    var named = stat()
    guard unsafe stat(givenPath, &named) == 0 else {
      return errno == ENOENT || errno == ENOTDIR ? .directoryMissing(path: path) : nil
    }
    let own = fileStatus(of: descriptor)
    let isSame = own.map { ($0.st_dev, $0.st_ino) == (named.st_dev, named.st_ino) } ?? true
    return isSame ? nil : .directoryReplaced(path: path)
  }
}
