internal import Glibc
internal import Supporting

/// A holder of leases on messages of a database. It locks one byte of the file `DATABASE-lock` as
/// long as this value exists, and its leases name that byte. However the process ends, the kernel
/// drops the lock, and other processes may take its messages. No clock is involved. It is an open
/// file description lock (fcntl(2)): two of them in one process exclude each other, and closing
/// another descriptor of the file does not drop it.
struct LeaseOwner: ~Copyable {
  /// From fcntl(2). Swift does not import them.
  private static let getLock: Int32 = 36  // F_OFD_GETLK
  private static let setLock: Int32 = 37  // F_OFD_SETLK

  /// The offset of the byte, 1 to 2^62. Random, so that it is free. The file stays empty.
  let number: Int64
  private let path: String
  private let descriptor: Int32
  private let file: FileIdentity

  /// Opens or creates the file beside `database`, a path with all links resolved.
  /// - Throws: `QueueError.refused` if the file cannot be opened, or cannot be locked in this way.
  init(of database: String, number: Int64 = .random(in: 1...1 << 62)) throws(QueueError) {
    let path = database + "-lock"
    let descriptor = try Self.open(path, like: database)
    var (status, lock) = (stat(), Self.lock(number))
    guard unsafe fstat(descriptor, &status) == 0, unsafe fcntl(descriptor, Self.setLock, &lock) == 0 else {
      defer { close(descriptor) }
      throw .refused(
        "the file system of the queue \(database) has no locks that end with a process (\(String(errno: errno))): use a local one, like ext4"
      )
    }
    (self.number, self.path, self.descriptor, file) = (number, path, descriptor, FileIdentity(status))
  }

  deinit { close(descriptor) }

  /// If the file was removed or replaced, locks the byte in the new file. Other processes do not
  /// see the old lock.
  mutating func keep(of database: String) throws(QueueError) {
    if FileIdentity(of: path) != file { self = try LeaseOwner(of: database, number: number) }
  }

  /// Whether the process that holds leases as `owner` may still be working on them.
  func isAlive(_ owner: Int64) -> Bool {
    // The kernel does not report a lock to the descriptor that holds it.
    if owner == number { return true }
    var lock = Self.lock(owner)
    return unsafe fcntl(descriptor, Self.getLock, &lock) != 0 || lock.l_type != F_UNLCK
  }

  private static func lock(_ number: Int64) -> flock {
    // `l_pid` must be 0 for these locks.
    flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: Int(number), l_len: 1, l_pid: 0)
  }

  private static func open(_ path: String, like database: String) throws(QueueError) -> Int32 {
    var status = stat()
    var file = unsafe stat(database, &status) == 0 ? DatabaseCompanions.make(path, like: status) : -1
    // Follows no link: another user could have made one to any file.
    if file < 0, errno == EEXIST { file = unsafe Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) }
    if file >= 0 { return file }
    let (code, reason) = (errno, String(errno: errno))
    if [ENOSPC, EDQUOT, EMFILE, ENFILE].contains(code) {
      throw .unavailable("the file \(path) of the queue cannot be opened now: \(reason)")
    }
    throw .refused(
      "the file \(path) of the queue cannot be opened (\(reason)): give this user the right to read and write it"
    )
  }
}
