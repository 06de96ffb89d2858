internal import Dispatch
internal import Glibc

/// A directory of verified media files, each named after its content: `<sha256>.<extension>`.
///
/// The same content is stored once, whoever sends it. A file exists under its name only when all of it is there.
package final class DirectoryStore: Sendable {
  /// Where the files lie, absolute and without symbolic links.
  package let path: String
  /// How much of a file is gathered before it is written, in bytes.
  package let pieceBytes: Int
  let descriptor: Int32
  private let isDurable: Bool
  private let unwritten: UnwrittenBytes?
  private let known = KnownFiles()
  private let hashing = DispatchQueue(label: "push-enricher.hashing")

  /// Opens `path`.
  /// - Parameters:
  ///   - creating: whether a directory that is missing is made (its parent has to be there).
  ///   - isDurable: whether what is kept survives a power cut from then on. Without it, the kernel writes in its own time.
  ///   - unwrittenBytes: bytes of files that may be in memory and not on the disk yet, where a memory limit counts them; nil leaves
  ///     that to the kernel, which is faster.
  ///   - pieceBytes: how much of a file is gathered before it is written, in bytes: fewer and larger writes for that much memory.
  /// - Throws: `StoreError.directoryMissing`, `.notADirectory`, `.notWritable`, …
  package init(
    path: String, creating: Bool = false, isDurable: Bool = true, unwrittenBytes: Int? = nil,
    pieceBytes: Int = 0
  ) throws(StoreError) {
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
    self.isDurable = isDurable
    self.pieceBytes = pieceBytes
    unwritten = unwrittenBytes.map { UnwrittenBytes(maximum: $0) }
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
      // What the file system says of a directory that was removed differs: ext4 says EPERM.
      throw StoreError(isRemoved ? ENOENT : code, operation: "making a file", path: path)
    }
    let owned = Descriptor(file)
    let digest = try FollowingDigest(of: owned, in: path, on: hashing)
    return IncomingFile(
      owned, digest: digest, directory: path, startsWriting: isDurable, unwritten: unwritten,
      pieceBytes: pieceBytes)
  }

  /// Gives `file` its name, and makes both durable if the store is.
  ///
  /// Blocks on the disk: call it where blocking is allowed.
  /// - Parameter filenameExtension: what the content deserves, without a dot.
  /// - Throws: `StoreError`. Nothing of `file` is left then, unless it was only the name that could not be made durable.
  package func keep(
    _ file: consuming IncomingFile, filenameExtension: String
  ) throws(StoreError) -> StoredFile {
    var file = file
    try file.flush()
    let digest = try file.digest.finish(at: file.size)
    let stored = StoredFile(name: "\(digest).\(filenameExtension)", size: file.size, sha256: digest)
    if isKnown(stored.name), use(stored.name, size: stored.size) { return stored }
    // The content first, its name after it: a name that survives a power cut then stands for all of the content.
    if isDurable { try sync(file.descriptor.number) }
    dropPages(of: file.descriptor.number)
    let status = try name(stored, file.descriptor.number)
    if isDurable { try sync(descriptor) }
    if let status { known.note(stored.name, status) }
    return stored
  }

  /// Gives `file` its name, unless that is taken by the same content.
  /// - Returns: what stat(2) says of what stands under it now; nil where there is nothing new to know.
  private func name(_ stored: StoredFile, _ file: Int32) throws(StoreError) -> stat? {
    // What stood there may be collected before it is looked at: not a second time, with nobody who would put it there.
    for _ in 0..<8 {
      if try link(file, as: stored.name) { return status(of: file) }
      switch try meetExisting(stored, file) {
      case .same(let status): return status
      case .collected: continue
      }
    }
    throw .nameOccupied(path: "\(path)/\(stored.name)")
  }

  /// Whether the file under this name is what it was when it was verified.
  private func isKnown(_ name: String) -> Bool {
    var status = stat()
    return unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && known.contains(name, status)
  }

  /// - Returns: false when the name is taken.
  func link(_ file: Int32, as name: String) throws(StoreError) -> Bool {
    // Through /proc, because AT_EMPTY_PATH asks for a capability that a worker should not have.
    let unnamed = "/proc/self/fd/\(file)"
    if unsafe linkat(AT_FDCWD, unnamed, descriptor, name, AT_SYMLINK_FOLLOW) == 0 { return true }
    let code = errno
    switch code {
    case EEXIST: return false
    // ENOENT may say that there is no /proc.
    case EPERM, EOPNOTSUPP, EXDEV, ENOENT:
      throw isRemoved ? .directoryMissing(path: path) : .linksUnsupported(path: path)
    default: throw StoreError(code, operation: "linking", path: path)
    }
  }

  /// Whether the directory has no name any more.
  private var isRemoved: Bool { status(of: descriptor)?.st_nlink == 0 }

  /// Takes a name away, if it is there.
  func remove(_ name: String) { _ = unsafe unlinkat(descriptor, name, 0) }

  func status(of file: Int32) -> stat? {
    var status = stat()
    return unsafe fstat(file, &status) == 0 ? status : nil
  }

  /// What stands under the name already is the same content, perhaps not yet durable, or what a power cut left of it: its name is a
  /// promise of ours, not of whoever else can write here. This file is verified, and takes its place: to read back the other one would
  /// take longer, and bring all of it into memory, which a limit counts.
  private func meetExisting(_ stored: StoredFile, _ file: Int32) throws(StoreError) -> Encounter {
    // Another download of the same has come first.
    if isKnown(stored.name), use(stored.name, size: stored.size) { return .same(nil) }
    // Whatever it is, opening it does not wait (a FIFO would) and leads nowhere else (a link would).
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    let existing = unsafe openat(descriptor, stored.name, flags)
    defer { close(existing) }
    if existing < 0, errno == ENOENT { return .collected }
    guard existing >= 0, let status = status(of: existing), status.st_mode & S_IFMT == S_IFREG else {
      throw .nameOccupied(path: "\(path)/\(stored.name)")
    }
    // Locked until another has its name: whoever collects it would take that one instead.
    guard noteUse(of: existing) else { return .collected }
    try replace(stored.name, with: file)
    return .same(self.status(of: file))
  }

  private func replace(_ name: String, with file: Int32) throws(StoreError) {
    let temporary = ".\(name).\(UInt64.random(in: .min ... .max))"
    guard try link(file, as: temporary) else { throw .nameOccupied(path: "\(path)/\(temporary)") }
    guard unsafe renameat(descriptor, temporary, descriptor, name) == 0 else {
      let code = errno
      remove(temporary)
      throw StoreError(code, operation: "replacing a file", path: path)
    }
  }

  /// Frees the memory that holds what is on the disk, where that counts.
  private func dropPages(of file: Int32) {
    if unwritten != nil { _ = posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) }
  }

  private func sync(_ file: Int32) throws(StoreError) {
    // Metadata too: for a directory it is all there is, and a new file's size is part of it.
    guard fsync(file) == 0 else { throw StoreError(errno, operation: "syncing", path: path) }
  }
}

extension DirectoryStore {
  /// What comes of a name that is taken.
  private enum Encounter {
    /// It stands for the same content: with what stat(2) said of it before that was verified, or nil where there is nothing new to know.
    case same(stat?)
    /// It was collected meanwhile.
    case collected
  }
}
