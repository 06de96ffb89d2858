internal import CLinux
internal import Glibc
internal import Supporting

extension DirectoryStore {
  /// How many seconds a file is safe after its last use. A result that names it is out after 30.
  package static let leastAge = 60

  /// Removes unused files, and restores names that a killed `prune` changed. Blocks on the disk.
  /// - Parameters:
  ///   - age: seconds since the last use, at least `leastAge`. `useRecordInterval` is added.
  ///   - extensions: those of media, without a dot. No other file is touched.
  /// - Throws: if the directory cannot be read. A file that cannot be removed is only counted.
  package func prune(
    unusedFor age: Int, extensions: Set<String>, isDryRun: Bool
  ) throws(StoreError) -> PruneResult {
    var result = PruneResult()
    let age = min(max(age, Self.leastAge), .max - Self.useRecordInterval) + Self.useRecordInterval
    // Opens the directory again, because a descriptor has only one position in it.
    let copy = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, var names = DirectoryNames(descriptor: copy) else {
      let code = errno
      if copy >= 0 { close(copy) }
      throw StoreError(code, operation: "reading the directory", path: path)
    }
    // Reads names one by one, because there may be millions. Files may be removed meanwhile.
    while let name = names.next() {
      guard let medium = StoredFile.mediumName(of: name, extensions) else { continue }
      do throws(StoreError) {
        switch try prune(name, of: medium, unusedFor: age, isDryRun: isDryRun) {
        case .removed(let bytes):
          result.files += 1
          result.bytes += bytes
        case .inUse: result.kept += 1
        case .gone: continue
        }
      } catch {
        result.failed += 1
        result.failure = result.failure ?? error
      }
    }
    return result
  }

  private enum Fate { case removed(bytes: Int), inUse, gone }

  private func prune(
    _ name: String, of medium: String, unusedFor age: Int, isDryRun: Bool
  ) throws(StoreError) -> Fate {
    let file = open(named: name)
    guard file >= 0 else {
      let code = errno
      guard let status = status(named: name), status.st_mode.isRegularFile else { return .gone }
      if isUsed(status, within: age) { return .inUse }
      throw .failed(operation: "opening \(name)", path: path, code: code)
    }
    defer { close(file) }
    if flock(file, LOCK_EX | LOCK_NB) != 0 { return .inUse }
    guard let status = fileStatus(of: file), status.st_mode.isRegularFile, status.st_nlink > 0,
      isStill(name, status)
    else { return .gone }
    guard !isUsed(status, within: age) else {
      // A result may name this file. If the name is taken, the file there has the same content.
      if !isDryRun, name != medium, self.status(named: medium) == nil { _ = try putBack(name, as: medium) }
      return .inUse
    }
    if !isDryRun, try !remove(name, ifStill: status) { return .inUse }
    return .removed(bytes: Int(status.st_size))
  }

  /// Removes the locked file. A worker that gave up waiting for the lock may have given the name to
  /// a new file, so the file is renamed and compared first. After a crash, `prune` cleans up.
  /// - Returns: false if the name belongs to another file by now. That file keeps it.
  func remove(_ name: String, ifStill locked: stat) throws(StoreError) -> Bool {
    // A name that a crash has left is never used again.
    let aside = name.hasPrefix(".") ? name : Self.aside(name)
    if aside != name, unsafe renameat(descriptor, name, descriptor, aside) != 0 {
      if errno == ENOENT { return true }
      throw .failed(operation: "removing \(name)", path: path, code: errno)
    }
    FaultPoint.reach(.aside)
    guard isStill(aside, locked) else {
      // The same content has been stored again in the meantime.
      if try !putBack(aside, as: name) { remove(aside) }
      return false
    }
    guard unsafe unlinkat(descriptor, aside, 0) == 0 || errno == ENOENT else {
      throw .failed(operation: "removing \(aside)", path: path, code: errno)
    }
    return true
  }

  /// - Returns: false if the name is taken, or another `prune` has handled the file.
  func putBack(_ aside: String, as name: String) throws(StoreError) -> Bool {
    guard unsafe rename_if_free(descriptor, aside, name) == 0 else {
      if errno == EEXIST || errno == ENOENT { return false }
      throw .failed(operation: "putting \(name) back", path: path, code: errno)
    }
    // The file was durable under this name before.
    try spools.sync(descriptor)
    return true
  }
}

/// What `prune` removed, or would remove.
package struct PruneResult: Equatable, Sendable {
  /// How many files were removed, and their total size in bytes.
  package var files = 0
  package var bytes = 0
  /// Files that were kept because they are in use.
  package var kept = 0
  /// Unused files that could not be removed.
  package var failed = 0
  /// Why the first of these files could not be removed.
  package var failure: StoreError?
}
