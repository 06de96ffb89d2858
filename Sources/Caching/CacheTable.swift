internal import Glibc
internal import Supporting

/// A file of entries that outlives the process, is shared by all processes with the same store, and
/// never grows. It is a set-associative cache: the URL decides the row. Finding an entry takes one
/// read and changing it one write, without a lock, a journal or memory. A slot that is damaged, or
/// that another process is writing, counts as empty.
package struct CacheTable: ~Copyable {
  /// How many entries a row has.
  static let width = 32
  package static let rowBytes = width * CacheEntry.length

  private let path: String
  private let descriptor: Int32
  private let rows: UInt64

  /// Opens the file, and makes it if it is missing. Blocks on the disk, as all methods here do.
  /// - Parameter bytes: the size of the file. It is sparse: only written entries take disk space.
  package init(path: String, bytes: Int) throws(CacheError) {
    self.path = path
    rows = UInt64(max(1, bytes / Self.rowBytes))
    // Opening must neither wait for a FIFO nor follow a link.
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    let opened = unsafe open(path, flags, 0o600)
    guard opened >= 0 else { throw .failed(operation: "opening", path: path, code: errno) }
    do throws(CacheError) {
      try Self.prepare(opened, path, bytes: off_t(rows) * off_t(Self.rowBytes))
    } catch {
      close(opened)
      throw error
    }
    descriptor = opened
  }

  /// Sets the size of the file, if it is empty or a cache, and no other user can control it. A user who may
  /// write to the store could have put a link there to a file that would be overwritten, or entries of other
  /// media.
  private static func prepare(_ file: Int32, _ path: String, bytes: off_t) throws(CacheError) {
    var status = stat()
    guard unsafe fstat(file, &status) == 0, status.st_mode.isRegularFile else { throw .notAFile(path: path) }
    guard status.st_nlink == 1 else { throw .linked(path: path, names: Int(status.st_nlink)) }
    guard status.st_uid == geteuid() else { throw .foreign(path: path, owner: status.st_uid) }
    guard status.st_mode & 0o022 == 0 else { throw .writable(path: path, mode: status.st_mode & 0o7777) }
    try check(file, path, bytes: status.st_size)
    guard status.st_size == bytes || ftruncate(file, bytes) == 0 else {
      throw .failed(operation: "making", path: path, code: errno)
    }
  }

  deinit { close(descriptor) }

  private typealias Found = (slot: Int, entry: CacheEntry, used: Int64)

  package func find(_ url: URLDigest) throws(CacheError) -> CacheEntry? {
    Self.newest(of: url, in: try row(of: url))?.entry
  }

  /// Writes `entry` over the one of its URL, into an empty slot, or over the least recently used.
  package func put(_ entry: CacheEntry, at now: Int64) throws(CacheError) {
    let row = try row(of: entry.url)
    let slot =
      Self.newest(of: entry.url, in: row)?.slot
      ?? (0..<Self.width).first { slot in !row.contains { $0.slot == slot } }
      // Ignores a use in the future: the clock was set back.
      ?? row.min { ($0.used <= now ? $0.used : 0) < ($1.used <= now ? $1.used : 0) }?.slot ?? 0
    try write(entry.bytes(used: now), to: slot, of: entry.url)
  }

  package func remove(_ url: URLDigest) throws(CacheError) {
    for found in try row(of: url) where found.entry.url == url {
      try write([UInt8](repeating: 0, count: CacheEntry.length), to: found.slot, of: url)
    }
  }

  /// The newest entry of a URL: two processes may have written one at the same time.
  private static func newest(of url: URLDigest, in row: [Found]) -> Found? {
    row.filter { $0.entry.url == url }.max { $0.entry.reuse.received < $1.entry.reuse.received }
  }

  private func offset(of url: URLDigest) -> off_t { off_t(url.first % rows) * off_t(Self.rowBytes) }

  private func row(of url: URLDigest) throws(CacheError) -> [Found] {
    var bytes = [UInt8](repeating: 0, count: Self.rowBytes)
    // If the file was truncated, the rest stays zero.
    guard unsafe pread(descriptor, &bytes, bytes.count, offset(of: url)) >= 0 else {
      throw .failed(operation: "reading", path: path, code: errno)
    }
    return (0..<Self.width).compactMap { slot in
      let bytes = bytes.dropFirst(slot * CacheEntry.length).prefix(CacheEntry.length)
      return CacheEntry.read(bytes).map { (slot, $0.entry, $0.used) }
    }
  }

  private func write(_ bytes: [UInt8], to slot: Int, of url: URLDigest) throws(CacheError) {
    let offset = offset(of: url) + off_t(slot * CacheEntry.length)
    let count = unsafe pwrite(descriptor, bytes, bytes.count, offset)
    guard count < bytes.count else { return }
    throw .failed(operation: "writing", path: path, code: count < 0 ? errno : ENOSPC)
  }
}
