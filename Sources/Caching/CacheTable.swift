internal import Glibc
internal import Supporting

/// A file of entries that survives the process, shared by all that have the same store, and never larger than it was made.
///
/// The place of an entry follows from its URL: one of 32 in its row, in which the one that was used least recently makes room. That takes one
/// read to find and one write to change, no lock, no journal and no memory. A place that is damaged, or being written by somebody else,
/// is an empty one.
package struct CacheTable: ~Copyable {
  /// Entries that share a row.
  static let width = 32
  /// Of a row, in bytes.
  package static let rowBytes = width * CacheEntry.length

  private let path: String
  private let descriptor: Int32
  private let rows: UInt64

  /// Opens the file, and makes it where it is missing. Blocks on the disk, as all here.
  /// - Parameter bytes: what it may take. Disk space is taken only as entries come.
  /// - Throws: `CacheError`.
  package init(path: String, bytes: Int) throws(CacheError) {
    self.path = path
    rows = UInt64(max(1, bytes / Self.rowBytes))
    // Whatever stands there, opening it does not wait (a FIFO would) and leads nowhere else (a link would).
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .failed(operation: "opening", path: path, code: errno) }
    var status = stat()
    let size = off_t(rows) * off_t(Self.rowBytes)
    do throws(CacheError) {
      guard unsafe fstat(descriptor, &status) == 0, status.isRegularFile else {
        throw .notAFile(path: path)
      }
      guard status.st_size == size || ftruncate(descriptor, size) == 0 else {
        throw .failed(operation: "making", path: path, code: errno)
      }
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit { close(descriptor) }

  /// - Throws: `CacheError` when it cannot be read.
  package func find(_ url: URLDigest) throws(CacheError) -> CacheEntry? {
    try row(of: url).newest(url)?.entry
  }

  /// Keeps `entry` in the place of what is known of its URL, or of what was used least recently.
  /// - Parameter now: in milliseconds since 1970.
  /// - Throws: `CacheError` when it cannot be written.
  package func put(_ entry: CacheEntry, at now: Int64) throws(CacheError) {
    let row = try row(of: entry.url)
    try write(entry.bytes(used: now), to: row.newest(entry.url)?.place ?? row.victim(at: now), of: entry.url)
  }

  /// Forgets what is known of a URL.
  /// - Throws: `CacheError` when it cannot be written.
  package func remove(_ url: URLDigest) throws(CacheError) {
    for place in try row(of: url).places(url) {
      try write([UInt8](repeating: 0, count: CacheEntry.length), to: place, of: url)
    }
  }

  private func offset(of url: URLDigest) -> off_t { off_t(url.first % rows) * off_t(Self.rowBytes) }

  private func row(of url: URLDigest) throws(CacheError) -> CacheRow {
    var bytes = [UInt8](repeating: 0, count: Self.rowBytes)
    // What is behind the end of the file, because somebody has cut it, stays zero.
    guard unsafe pread(descriptor, &bytes, bytes.count, offset(of: url)) >= 0 else {
      throw .failed(operation: "reading", path: path, code: errno)
    }
    return CacheRow(bytes)
  }

  private func write(_ bytes: [UInt8], to place: Int, of url: URLDigest) throws(CacheError) {
    let offset = offset(of: url) + off_t(place * CacheEntry.length)
    let count = unsafe pwrite(descriptor, bytes, bytes.count, offset)
    guard count < bytes.count else { return }
    throw .failed(operation: "writing", path: path, code: count < 0 ? errno : ENOSPC)
  }
}

/// The entries that share a row, and their places in it.
private struct CacheRow {
  typealias Found = (place: Int, entry: CacheEntry, used: Int64)

  private let found: [Found]

  init(_ bytes: [UInt8]) {
    found = (0..<CacheTable.width).compactMap { place in
      CacheEntry.read(bytes[place * CacheEntry.length..<(place + 1) * CacheEntry.length]).map {
        (place, $0.entry, $0.used)
      }
    }
  }

  /// Two processes may have put the same at the same time.
  func newest(_ url: URLDigest) -> Found? {
    found.filter { $0.entry.url == url }.max { $0.entry.received < $1.entry.received }
  }

  func places(_ url: URLDigest) -> [Int] { found.filter { $0.entry.url == url }.map(\.place) }

  /// The place for another entry. One that was used in the future was not: somebody has set the clock.
  func victim(at now: Int64) -> Int {
    let taken = Set(found.map(\.place))
    if let free = (0..<CacheTable.width).first(where: { !taken.contains($0) }) { return free }
    return found.min { ($0.used <= now ? $0.used : 0) < ($1.used <= now ? $1.used : 0) }?.place ?? 0
  }
}
