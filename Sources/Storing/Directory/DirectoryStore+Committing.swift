internal import CLinux
internal import Glibc
internal import Supporting

extension DirectoryStore {
  func commit(_ batch: [Arrival]) {
    spools.activity.begin()
    defer { spools.activity.end() }
    var finished: [(file: SpooledFile, continuation: Continuation)] = []
    for (medium, continuation) in batch {
      do throws(StoreError) {
        if let file = try medium.finish() {
          finished.append((file, continuation))
        } else {
          continuation.resume(returning: .success(nil))
        }
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    for (result, (_, continuation)) in zip(commit(finished.map(\.file)), finished) {
      continuation.resume(returning: result.map { $0 })
    }
  }

  /// Gives `files` their names, and makes them all durable together if the settings ask for it. Blocks on the disk.
  /// - Returns: a result for each file. A failed file leaves at most a name that is not durable.
  package func commit(_ files: [SpooledFile]) -> [Result<StoredFile, StoreError>] {
    if let absence = spools.absence { return files.map { _ in .failure(absence) } }
    var results = files.map { Result<StoredFile, StoreError>.success($0.stored) }
    let new = files.indices.filter { !isInUse(files[$0].stored) }
    // The content comes before the name: a name that survives a power cut then has all of it.
    let errors = spools.makeDurable(new.map { files[$0] })
    var named: [(index: Int, status: stat?)] = []
    for index in new {
      let file = files[index].descriptor.number
      do throws(StoreError) {
        if let error = errors[file] { throw error }
        // If a memory limit counts the pages of the file, gives them back.
        if spools.unwritten != nil { _ = posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) }
        named.append((index, try name(files[index].stored, file)))
      } catch {
        results[index] = .failure(error)
      }
    }
    do throws(StoreError) {
      if spools.settings.isDurable, !named.isEmpty { try spools.sync(descriptor) }
      for (index, status) in named { if let status { known.note(files[index].stored.name, status) } }
    } catch {
      for (index, _) in named { results[index] = .failure(error) }
    }
    return results
  }

  /// Gives `file` its name, unless the same content has that name already.
  /// - Returns: the stat(2) of the file that now has the name; nil if `known` has it already.
  private func name(_ stored: StoredFile, _ file: Int32) throws(StoreError) -> stat? {
    // The existing file may be pruned in the meantime, but hardly twice, unless something recreates it.
    for _ in 0..<8 {
      if try link(file, as: stored.name) { return fileStatus(of: file) }
      if isInUse(stored) { return nil }
      if try replace(stored, with: file) { return fileStatus(of: file) }
    }
    throw .nameOccupied(path: "\(path)/\(stored.name)")
  }

  /// Whether the store has this content, unchanged since it was verified. If so, records a use.
  private func isInUse(_ stored: StoredFile) -> Bool {
    // Looks at the disk only if the file is known. Most files are not.
    guard known.contains(stored.name), let status = status(named: stored.name) else { return false }
    return known.contains(stored.name, status) && touchNow(stored.name, size: stored.size)
  }

  /// AT_EMPTY_PATH of link(2), which Glibc's module lacks.
  static let emptyPath: Int32 = 0x1000

  /// - Returns: false if the name is taken.
  func link(_ file: Int32, as name: String) throws(StoreError) -> Bool {
    var isLinked = unsafe linkat(file, "", descriptor, name, Self.emptyPath) == 0
    // Before Linux 6.10, this needs a capability that a worker should not have (link(2)). Linking
    // through /proc takes 50 % longer.
    if !isLinked, errno == ENOENT {
      isLinked = unsafe linkat(AT_FDCWD, "/proc/self/fd/\(file)", descriptor, name, AT_SYMLINK_FOLLOW) == 0
    }
    if isLinked { return true }
    let code = errno
    switch code {
    case EEXIST: return false
    // ENOENT may mean that there is no /proc.
    case EPERM, EOPNOTSUPP, EXDEV, ENOENT: throw spools.absence ?? .linksUnsupported(path: path)
    default: throw StoreError(code, operation: "linking", path: path)
    }
  }

  /// Replaces the file that already has the name, because only the new file is known to have the
  /// content durably. Reading the old file would take longer, and use memory that a limit counts.
  /// - Returns: false if the old file was pruned in the meantime.
  private func replace(_ stored: StoredFile, with file: Int32) throws(StoreError) -> Bool {
    let existing = open(named: stored.name)
    defer { close(existing) }
    // Another user's file can be replaced even if this user may not read it.
    guard let old = existing < 0 ? status(named: stored.name) : fileStatus(of: existing) else { return false }
    guard old.st_mode.isRegularFile else { throw .nameOccupied(path: "\(path)/\(stored.name)") }
    if existing >= 0 {
      // Locked until the new file has the name, so that `prune` does not remove that name.
      _ = lock(existing)
      guard let locked = fileStatus(of: existing), locked.st_nlink > 0 else { return false }
    }
    // Keeps the modification time: servers and backups go by it, and see the same file.
    if old.st_size == stored.size {
      _ = unsafe futimens(file, [timespec(tv_sec: time(nil), tv_nsec: 0), old.st_mtim])
    }
    let temporary = Self.aside(stored.name)
    // Locked, so that `prune` does not take it for the remains of a crash.
    _ = lock(file)
    guard try link(file, as: temporary) else { throw .nameOccupied(path: "\(path)/\(temporary)") }
    guard unsafe renameat(descriptor, temporary, descriptor, stored.name) == 0 else {
      let code = errno
      remove(temporary)
      throw StoreError(code, operation: "replacing a file", path: path)
    }
    return true
  }

  /// A hidden name for a file on the way to or from its own name.
  static func aside(_ name: String) -> String { ".\(name).\(UInt64.random(in: .min ... .max))" }
}
