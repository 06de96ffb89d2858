// The members of `stat` belong to CLinux where that is loaded before Glibc.
internal import CLinux
internal import Dispatch
internal import Glibc
internal import Supporting

/// A directory of verified media files, each named after its content: `<sha256>.<extension>`.
///
/// The same content is stored once, whoever sends it. A file exists under its name only when all of it is
/// there.
package final class DirectoryStore: Sendable {
  /// Where the files lie, absolute and without symbolic links.
  package let path: String
  /// The path as it was given.
  private let givenPath: String
  /// How much of a file is buffered before it is written, in bytes.
  package let pieceBytes: Int
  let descriptor: Int32
  let isDurable: Bool
  let unwritten: UnwrittenBytes?
  let known = KnownFiles()
  let groups = GroupSync()
  package let activity = StoreActivity()
  private let buffers: WriteBufferPool
  private let hashing = DispatchQueue(label: "push-enricher.hashing")

  /// Opens `path`.
  /// - Parameters:
  ///   - creating: whether a directory that is missing is made (its parent has to be there).
  ///   - isDurable: whether committed files survive a power cut. Without it, the kernel writes in its own
  ///     time.
  ///   - unwrittenBytes: bytes of files that may be in memory and not on the disk yet, where a memory limit
  ///     counts them; nil leaves that to the kernel, which is faster.
  ///   - pieceBytes: how much of a file is buffered before it is written, in bytes: fewer and larger writes
  ///     for that much memory.
  ///   - isMemoryPlenty: whether there is memory for what only saves time, such as buffers of whole files.
  /// - Throws: `StoreError.directoryMissing`, `.notADirectory`, `.notWritable`, …
  package init(
    path: String, creating: Bool = false, isDurable: Bool = true, unwrittenBytes: Int? = nil,
    pieceBytes: Int = 0, isMemoryPlenty: @escaping @Sendable () -> Bool = { true }
  ) throws(StoreError) {
    // For this user alone. An operator who wants others to read the media makes the directory.
    if creating, unsafe mkdir(path, 0o700) != 0, errno != EEXIST {
      throw StoreError(errno, operation: "making the directory", path: path)
    }
    descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreError(errno, operation: "opening", path: path) }
    guard let resolved = realPath(of: path) else {
      let code = errno
      close(descriptor)
      throw StoreError(code, operation: "resolving", path: path)
    }
    givenPath = path
    self.path = resolved
    self.isDurable = isDurable
    self.pieceBytes = pieceBytes
    buffers = WriteBufferPool(isMemoryPlenty: isMemoryPlenty)
    unwritten = unwrittenBytes.map { UnwrittenBytes(maximum: $0) }
  }

  deinit { close(descriptor) }

  /// A file for a body that begins.
  /// - Parameter announced: how long it will be, in bytes, if that is known. What fits into its buffer is made
  ///   and written by `finish`, so that it is received without the disk. Where it does not, or no buffer is
  ///   free, it is made here, which blocks on the disk.
  package func makeFile(announced: Int? = nil) throws(StoreError) -> IncomingFile {
    let buffer = pieceBytes == 0 ? buffers.take(for: announced) : nil
    var file = IncomingFile(in: self, announced: announced, buffer: buffer)
    if !file.isBufferedWhole { try file.open() }
    return file
  }

  /// An empty file on the store's own file system, so that it can be linked there later.
  func makeUnnamedFile() throws(StoreError) -> UnnamedFile {
    // glibc's O_TMPFILE is an expression that is not imported; __O_TMPFILE is the same on every Linux but
    // Alpha, PA-RISC and SPARC.
    let unnamed: Int32 = 0o20_000_000 | O_DIRECTORY
    // Read before the file exists, so that no error of its own is missed.
    let failures = groups.failures
    let file = unsafe openat(descriptor, ".", unnamed | O_RDWR | O_CLOEXEC, 0o644)
    guard file >= 0 else {
      let code = errno
      // What the file system says of a directory that was removed differs: ext4 says EPERM.
      throw absence ?? StoreError(code, operation: "making a file", path: path)
    }
    let owned = Descriptor(file)
    return UnnamedFile(
      descriptor: owned, digest: try FollowingDigest(of: owned, in: path, on: hashing), failures: failures)
  }

  /// AT_EMPTY_PATH of link(2), which Glibc's module has not.
  static let emptyPath: Int32 = 0x1000

  /// - Returns: false when the name is taken.
  func link(_ file: Int32, as name: String) throws(StoreError) -> Bool {
    var isLinked = unsafe linkat(file, "", descriptor, name, Self.emptyPath) == 0
    // Before Linux 6.10 that asks for a capability that a worker should not have (link(2)). Through /proc it
    // takes half as long again.
    if !isLinked, errno == ENOENT {
      isLinked = unsafe linkat(AT_FDCWD, "/proc/self/fd/\(file)", descriptor, name, AT_SYMLINK_FOLLOW) == 0
    }
    if isLinked { return true }
    let code = errno
    switch code {
    case EEXIST: return false
    // ENOENT may say that there is no /proc.
    case EPERM, EOPNOTSUPP, EXDEV, ENOENT:
      throw absence ?? .linksUnsupported(path: path)
    default: throw StoreError(code, operation: "linking", path: path)
    }
  }

  /// Why nobody finds what is stored here: the directory has lost its name. Nil while it has it.
  var absence: StoreError? {
    var named = stat()
    guard unsafe stat(givenPath, &named) == 0 else {
      return errno == ENOENT || errno == ENOTDIR ? .directoryMissing(path: path) : nil
    }
    guard let own = status(of: descriptor), (own.st_dev, own.st_ino) != (named.st_dev, named.st_ino) else {
      return nil
    }
    return .directoryReplaced(path: path)
  }

  /// Takes a name away, if it is there.
  func remove(_ name: String) { _ = unsafe unlinkat(descriptor, name, 0) }

  func status(of file: Int32) -> stat? {
    var status = stat()
    return unsafe fstat(file, &status) == 0 ? status : nil
  }

  /// Of what stands under a name, also where that is a link.
  func status(named name: String) -> stat? {
    var status = stat()
    return unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }
}
