internal import CLinux
internal import Glibc

/// What was collected, or would be.
package struct Collection: Equatable, Sendable {
  package var files = 0
  /// Of these files together.
  package var bytes = 0
  /// Files of the store that stay, because they are in use.
  package var kept = 0
  /// Files that are to be collected and cannot be.
  package var failed = 0
  /// Of the first of these.
  package var failure: StoreError?

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
  /// - Throws: `StoreError`, when the directory cannot be read. What is wrong with one file keeps it from no other.
  package func collect(
    unusedFor age: Int, extensions: Set<String>, isTrial: Bool
  ) throws(StoreError) -> Collection {
    var collection = Collection()
    let age = min(max(age, Self.leastAge), .max - Self.useNoteSeconds) + Self.useNoteSeconds
    try forEachName { name in
      guard Self.isOwn(name, extensions) else { return }
      do throws(StoreError) {
        switch try collect(name, unusedFor: age, isTrial: isTrial) {
        case .collected(let bytes):
          collection.files += 1
          collection.bytes += bytes
        case .inUse: collection.kept += 1
        case .gone: return
        }
      } catch {
        collection.failed += 1
        collection.failure = collection.failure ?? error
      }
    }
    return collection
  }

  private enum Fate { case collected(bytes: Int), inUse, gone }

  private func collect(_ name: String, unusedFor age: Int, isTrial: Bool) throws(StoreError) -> Fate {
    let file = unsafe openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else {
      let code = errno
      guard let status = status(named: name), status.st_mode & S_IFMT == S_IFREG else { return .gone }
      if isUsed(status, within: age) { return .inUse }
      throw .failed(operation: "opening \(name)", path: path, code: code)
    }
    defer { close(file) }
    // Somebody has it at this moment: it is in use.
    if flock(file, LOCK_EX | LOCK_NB) != 0 { return .inUse }
    guard let status = status(of: file), status.st_mode & S_IFMT == S_IFREG, status.st_nlink > 0,
      isStill(name, status)
    else { return .gone }
    guard !isUsed(status, within: age) else { return .inUse }
    if !isTrial, try !remove(name, ifStill: status) { return .inUse }
    return .collected(bytes: Int(status.st_size))
  }

  /// Whether the name stands for the file that is locked: it may have been replaced.
  private func isStill(_ name: String, _ locked: stat) -> Bool {
    status(named: name)?.st_ino == locked.st_ino
  }

  /// Removes the file that is locked. Who gives its name to another does not wait long for the lock, and so may have done that since it was
  /// looked at: only what is out of everybody's way can be looked at and removed.
  /// - Returns: false when the name stands for another one, which keeps it.
  func remove(_ name: String, ifStill locked: stat) throws(StoreError) -> Bool {
    // What a crash has left. Nobody gives that name again.
    let aside = name.hasPrefix(".") ? name : ".\(name).\(UInt64.random(in: .min ... .max))"
    if aside != name, unsafe renameat(descriptor, name, descriptor, aside) != 0 {
      if errno == ENOENT { return true }
      throw .failed(operation: "removing \(name)", path: path, code: errno)
    }
    guard isStill(aside, locked) else {
      try putBack(aside, as: name)
      return false
    }
    guard unsafe unlinkat(descriptor, aside, 0) == 0 || errno == ENOENT else {
      throw .failed(operation: "removing \(aside)", path: path, code: errno)
    }
    return true
  }

  private func putBack(_ aside: String, as name: String) throws(StoreError) {
    if unsafe rename_if_free(descriptor, aside, name) != 0 {
      // The same has come once more meanwhile.
      guard errno == EEXIST else { throw .failed(operation: "putting \(name) back", path: path, code: errno) }
      remove(aside)
    }
    // It was promised to be durable under this name.
    guard fsync(descriptor) == 0 else { throw StoreError(errno, operation: "syncing", path: path) }
  }

  /// `<sha256>.<extension>`, or what a crash has left of one that was to be replaced: a dot in front, and a number behind.
  static func isOwn(_ name: String, _ extensions: Set<String>) -> Bool {
    var parts = name.split(separator: ".", omittingEmptySubsequences: false)
    if parts.count == 4, parts[0].isEmpty, !parts[3].isEmpty, parts[3].utf8.allSatisfy({ 0x30...0x39 ~= $0 })
    {
      parts = Array(parts[1...2])
    }
    return parts.count == 2 && parts[0].utf8.count == 64
      && parts[0].utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
      && extensions.contains(String(parts[1]))
  }

  /// One by one: there may be millions. Those that are removed meanwhile do no harm to the others.
  private func forEachName(_ body: (String) -> Void) throws(StoreError) {
    // A descriptor of its own: the position in the directory belongs to it.
    let copy = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let directory = unsafe fdopendir(copy) else {
      let code = errno
      if copy >= 0 { close(copy) }
      throw StoreError(code, operation: "reading the directory", path: path)
    }
    defer { unsafe closedir(directory) }
    while let entry = unsafe readdir(directory) {
      body(
        unsafe withUnsafePointer(to: &entry.pointee.d_name) {
          unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
        })
    }
  }
}
