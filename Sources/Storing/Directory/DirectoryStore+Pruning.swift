internal import CLinux
internal import Glibc
internal import Supporting

extension DirectoryStore {
  /// A file used within this time is never pruned, in seconds: a result that names it is out after 30.
  package static let leastAge = 60

  /// Removes unused files, and gives used ones back the names that a killed `prune` took. Blocks on the disk.
  /// - Parameters:
  ///   - age: since the last use, in seconds; `leastAge` at least. `useRecordInterval` is added.
  ///   - extensions: without a dot. No other file is touched.
  /// - Throws: if the directory cannot be read. A file that cannot be removed is counted.
  package func prune(
    unusedFor age: Int, extensions: Set<String>, isDryRun: Bool
  ) throws(StoreError) -> PruneResult {
    var result = PruneResult()
    let age = min(max(age, Self.leastAge), .max - Self.useRecordInterval) + Self.useRecordInterval
    // A descriptor of its own, because the position in the directory belongs to it.
    let copy = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, var names = DirectoryNames(descriptor: copy) else {
      let code = errno
      if copy >= 0 { close(copy) }
      throw StoreError(code, operation: "reading the directory", path: path)
    }
    // One by one: there may be millions. Removing a file meanwhile does not disturb the others.
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
      // A result may name it. If the name is taken, it is by the same content.
      if !isDryRun, name != medium, self.status(named: medium) == nil { _ = try putBack(name, as: medium) }
      return .inUse
    }
    if !isDryRun, try !remove(name, ifStill: status) { return .inUse }
    return .removed(bytes: Int(status.st_size))
  }

  /// Removes the locked file. Workers do not wait long for the lock, and may have given the name to a new
  /// file: so it is renamed and compared first. After a crash, the next `prune` removes it or puts it back.
  /// - Returns: false if the name is that of another file, which keeps it.
  func remove(_ name: String, ifStill locked: stat) throws(StoreError) -> Bool {
    // Nobody uses a name again that a crash has left.
    let aside = name.hasPrefix(".") ? name : Self.aside(name)
    if aside != name, unsafe renameat(descriptor, name, descriptor, aside) != 0 {
      if errno == ENOENT { return true }
      throw .failed(operation: "removing \(name)", path: path, code: errno)
    }
    FaultPoint.reach(.aside)
    guard isStill(aside, locked) else {
      // The same content was stored again meanwhile.
      if try !putBack(aside, as: name) { remove(aside) }
      return false
    }
    guard unsafe unlinkat(descriptor, aside, 0) == 0 || errno == ENOENT else {
      throw .failed(operation: "removing \(aside)", path: path, code: errno)
    }
    return true
  }

  /// - Returns: false if the name is taken, or another `prune` has dealt with the file.
  func putBack(_ aside: String, as name: String) throws(StoreError) -> Bool {
    guard unsafe rename_if_free(descriptor, aside, name) == 0 else {
      if errno == EEXIST || errno == ENOENT { return false }
      throw .failed(operation: "putting \(name) back", path: path, code: errno)
    }
    // It had been made durable under this name.
    try spools.sync(descriptor)
    return true
  }
}

/// What was pruned, or would be.
package struct PruneResult: Equatable, Sendable {
  /// Files removed, and their sizes together.
  package var files = 0
  package var bytes = 0
  /// Files that stay because they are in use.
  package var kept = 0
  /// Unused files that could not be removed.
  package var failed = 0
  /// Why the first of these could not.
  package var failure: StoreError?
}
