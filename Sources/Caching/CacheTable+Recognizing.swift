internal import Glibc
internal import Supporting

/// Whether a file is a cache. A wrong name must not cost a user's file.
extension CacheTable {
  /// Throws if `path` is a file that is neither empty nor a cache. Makes and changes nothing. Whatever is not a
  /// regular file passes, because opening the cache fails then.
  package static func check(_ path: String) throws(CacheError) {
    var status = stat()
    // Opening a FIFO or a device may have effects.
    guard unsafe lstat(path, &status) == 0, status.st_mode.isRegularFile else { return }
    let file = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return }
    defer { close(file) }
    try check(file, path, bytes: status.st_size)
  }

  /// Recognizes the caches of all versions: whole slots, and a mark in the first one that is not all zeros. A
  /// cache without entries is all zeros, also if the process that was making it has died. The last row may be
  /// incomplete: if a process with a smaller cache has shortened the file, one with a larger cache writes its
  /// entries beyond the end.
  static func check(_ file: Int32, _ path: String, bytes: off_t) throws(CacheError) {
    guard bytes % off_t(CacheEntry.length) == 0 else { throw .notACache(path: path) }
    var row = [UInt8](repeating: 0, count: rowBytes)
    var offset: off_t = 0
    while offset < bytes {
      // Most of a new cache is holes. Not every file system can tell where they end.
      let data = lseek(file, offset, 3)  // SEEK_DATA, which Swift does not import
      if data < 0, errno == ENXIO { return }
      offset = max(data, offset) / off_t(rowBytes) * off_t(rowBytes)
      let count = unsafe pread(file, &row, row.count, offset)
      guard count >= 0 else { throw .failed(operation: "reading", path: path, code: errno) }
      if let used = row.prefix(count).firstIndex(where: { $0 != 0 }) {
        let slot = row.dropFirst(used / CacheEntry.length * CacheEntry.length)
        guard CacheEntry.hasMark(slot) else { throw .notACache(path: path) }
        return
      }
      offset += off_t(rowBytes)
    }
  }
}
