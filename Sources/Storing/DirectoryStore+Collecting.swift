internal import Glibc
internal import Supporting

/// What was collected, or would be.
package struct Collection: Equatable, Sendable {
  package var files = 0
  /// Of these files together.
  package var bytes = 0
  /// Files of the store that stay, because they are in use.
  package var kept = 0

  package init(files: Int = 0, bytes: Int = 0, kept: Int = 0) {
    self.files = files
    self.bytes = bytes
    self.kept = kept
  }
}

extension DirectoryStore {
  /// What counts as in use whatever is asked for, in seconds: a result that names a file is out after 30 at the latest.
  package static let leastAge = 60

  /// Takes away what this store has made and nobody has used for a time. Blocks on the disk.
  /// - Parameters:
  ///   - age: since the last use, in seconds; `leastAge` at least. Its note may be older by `useNoteSeconds`.
  ///   - extensions: those that its files have, without a dot. No other file is touched.
  ///   - isTrial: whether all stays as it is.
  /// - Throws: `StoreError`, when the directory cannot be read, or a file cannot be removed.
  package func collect(
    unusedFor age: Int, extensions: Set<String>, isTrial: Bool
  ) throws(StoreError) -> Collection {
    var collection = Collection()
    let age = min(max(age, Self.leastAge), .max - Self.useNoteSeconds) + Self.useNoteSeconds
    try forEachName { (name) throws(StoreError) in
      guard Self.isOwn(name, extensions) else { return }
      switch try collect(name, unusedFor: age, isTrial: isTrial) {
      case .collected(let bytes):
        collection.files += 1
        collection.bytes += bytes
      case .inUse: collection.kept += 1
      case .gone: return
      }
    }
    return collection
  }

  private enum Fate { case collected(bytes: Int), inUse, gone }

  private func collect(_ name: String, unusedFor age: Int, isTrial: Bool) throws(StoreError) -> Fate {
    let file = unsafe openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT || errno == ELOOP { return .gone }
      throw StoreError(errno, operation: "opening a file", path: path)
    }
    defer { close(file) }
    // Somebody has it at this moment: it is in use.
    if flock(file, LOCK_EX | LOCK_NB) != 0 { return .inUse }
    guard let status = status(of: file), status.isRegularFile, status.st_nlink > 0,
      isStill(name, status)
    else { return .gone }
    guard !isUsed(status, within: age) else { return .inUse }
    if !isTrial, unsafe unlinkat(descriptor, name, 0) != 0, errno != ENOENT {
      throw StoreError(errno, operation: "removing a file", path: path)
    }
    return .collected(bytes: Int(status.st_size))
  }

  /// Whether the name stands for the file that is locked: it may have been replaced.
  private func isStill(_ name: String, _ locked: stat) -> Bool {
    var status = stat()
    return unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
      && status.st_ino == locked.st_ino
  }

  /// `<sha256>.<extension>`, or what a crash has left of one that was to be replaced: a dot in front, and a number behind.
  static func isOwn(_ name: String, _ extensions: Set<String>) -> Bool {
    var parts = name.split(separator: ".", omittingEmptySubsequences: false)
    if parts.count == 4, parts[0].isEmpty, !parts[3].isEmpty, parts[3].utf8.allSatisfy(\.isASCIIDigit) {
      parts = Array(parts[1...2])
    }
    return parts.count == 2 && parts[0].utf8.count == 64
      && parts[0].utf8.allSatisfy { $0.isASCIIDigit || 0x61...0x66 ~= $0 }
      && extensions.contains(String(parts[1]))
  }

  /// One by one: there may be millions. Those that are removed meanwhile do no harm to the others.
  private func forEachName(_ body: (String) throws(StoreError) -> Void) throws(StoreError) {
    // A descriptor of its own: the position in the directory belongs to it.
    let copy = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, var names = DirectoryNames(descriptor: copy) else {
      let code = errno
      if copy >= 0 { close(copy) }
      throw StoreError(code, operation: "reading the directory", path: path)
    }
    while let name = names.next() { try body(name) }
  }
}
