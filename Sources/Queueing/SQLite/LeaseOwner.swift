internal import Glibc
internal import Supporting

/// Whoever holds leases on messages of a database: one byte of the file `DATABASE-lock`, locked as long as this
/// value exists. A lease names its byte. The kernel drops the lock when the process ends, however it ends, and
/// others may take its messages then. No clock has a say in that.
///
/// The lock is an open file description lock (fcntl(2)): two of them in one process exclude each other, and
/// closing another descriptor of the file does not drop it.
struct LeaseOwner: ~Copyable {
  /// Of fcntl(2); Swift does not import them.
  private static let getLock: Int32 = 36  // F_OFD_GETLK
  private static let setLock: Int32 = 37  // F_OFD_SETLK

  /// The place of the byte, 1 to 2^62: random, so that nobody has to be asked for a free one. The file stays
  /// empty, because a lock may lie behind its end.
  let number: Int64
  private let path: String
  private let descriptor: Int32
  private let status: stat

  /// Opens the file beside `database`, and creates it if it is missing.
  /// - Parameter database: its path, with all links resolved.
  /// - Throws: `QueueError.refused` if the file cannot be opened, or its file system lacks the locks.
  init(of database: String) throws(QueueError) {
    try self.init(of: database, number: .random(in: 1...1 << 62))
  }

  private init(of database: String, number: Int64) throws(QueueError) {
    let path = database + "-lock"
    let descriptor = try Self.open(path, like: database)
    var (status, lock) = (stat(), Self.lock(number))
    guard unsafe fstat(descriptor, &status) == 0, unsafe fcntl(descriptor, Self.setLock, &lock) == 0 else {
      let code = errno
      close(descriptor)
      throw .refused(
        "the file system of the queue \(database) has no locks that end with a process (\(String(errno: code))): use a local one, like ext4"
      )
    }
    (self.number, self.path, self.descriptor, self.status) = (number, path, descriptor, status)
  }

  deinit { close(descriptor) }

  /// Locks the byte in a new file if the file was removed or replaced: others would not see the lock in the old
  /// one, and would take what this process works on.
  mutating func keep(of database: String) throws(QueueError) {
    var current = stat()
    if unsafe stat(path, &current) == 0, current.st_ino == status.st_ino, current.st_dev == status.st_dev {
      return
    }
    self = try LeaseOwner(of: database, number: number)
  }

  /// Whether the process that holds leases under `owner` may still work on them.
  func isAlive(_ owner: Int64) -> Bool {
    // Nobody's own lock is in its way.
    if owner == number { return true }
    var lock = Self.lock(owner)
    return unsafe fcntl(descriptor, Self.getLock, &lock) != 0 || lock.l_type != F_UNLCK
  }

  private static func lock(_ number: Int64) -> flock {
    // The last member, a process, must be 0 here.
    flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: Int(number), l_len: 1, l_pid: 0)
  }

  /// Opens the file at `path`, and makes it if it is missing.
  private static func open(_ path: String, like database: String) throws(QueueError) -> Int32 {
    var (status, descriptor) = (stat(), Int32(-1))
    if unsafe stat(database, &status) == 0 {
      descriptor = DatabaseCompanions.make(path, like: status)
      if descriptor < 0, errno == EEXIST {
        // No link: a stranger's could lead to any file.
        descriptor = unsafe Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
      }
    }
    if descriptor >= 0 { return descriptor }
    let code = errno
    if [ENOSPC, EDQUOT, EMFILE, ENFILE].contains(code) {
      throw .unavailable("the file \(path) of the queue cannot be opened now: \(String(errno: code))")
    }
    throw .refused(
      "the file \(path) of the queue cannot be opened (\(String(errno: code))): give this user the right to read and write it"
    )
  }
}
