internal import CLinux
internal import Glibc
internal import Supporting

extension DirectoryStore {
  func commit(_ batch: [Arrival]) {
    spools.activity.begin()
    defer { spools.activity.end() }
    var files: [SpooledFile] = []
    var continuations: [Continuation] = []
    for (medium, continuation) in batch {
      do throws(StoreError) {
        guard let file = try medium.finish() else {
          continuation.resume(returning: .success(nil))
          continue
        }
        files.append(file)
        continuations.append(continuation)
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    for (result, continuation) in zip(commit(files), continuations) {
      continuation.resume(returning: result.map { $0 })
    }
  }

  /// Gives each of `files` its name, and makes all of them durable together if the store is durable.
  ///
  /// Blocks on the disk: call it where blocking is allowed.
  /// - Returns: a result for each, in the same order. Nothing is left of a file that failed, unless only its
  ///   name could not be made durable.
  package func commit(_ files: [SpooledFile]) -> [Result<StoredFile, StoreError>] {
    if let absence = spools.absence { return files.map { _ in .failure(absence) } }
    var results = files.map { Result<StoredFile, StoreError>.success($0.stored) }
    let new = files.indices.filter { !isInUse(files[$0].stored) }
    // The content first, then its name: a name that survives a power cut then has all of its content.
    let errors = spools.makeDurable(new.map { files[$0] })
    var named: [(index: Int, status: stat?)] = []
    for index in new {
      let file = files[index].descriptor.number
      do throws(StoreError) {
        if let error = errors[file] { throw error }
        // On the disk, it need not stay in memory if a limit counts that.
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

  /// Gives `file` its name, unless that is taken by the same content.
  /// - Returns: the stat(2) of the file that has the name now; nil if it is known already.
  private func name(_ stored: StoredFile, _ file: Int32) throws(StoreError) -> stat? {
    // The existing file may be pruned before it is examined. That does not happen twice, unless something
    // keeps putting it there.
    for _ in 0..<8 {
      if try link(file, as: stored.name) { return fileStatus(of: file) }
      // Another download of the same was committed first.
      if isInUse(stored) { return nil }
      if try replace(stored, with: file) { return fileStatus(of: file) }
    }
    throw .nameOccupied(path: "\(path)/\(stored.name)")
  }

  /// Whether the store has the same content already, as it was when it was verified. It counts as used from now
  /// on.
  private func isInUse(_ stored: StoredFile) -> Bool {
    // Most are not known, and need no look at the disk.
    guard known.contains(stored.name), let status = status(named: stored.name) else { return false }
    return known.contains(stored.name, status) && touchNow(stored.name, size: stored.size)
  }

  /// AT_EMPTY_PATH of link(2), which Glibc's module has not.
  static let emptyPath: Int32 = 0x1000

  /// - Returns: false if the name is taken.
  func link(_ file: Int32, as name: String) throws(StoreError) -> Bool {
    var isLinked = unsafe linkat(file, "", descriptor, name, Self.emptyPath) == 0
    // Before Linux 6.10 that asks for a capability that a worker should not have (link(2)). Through /proc it
    // takes half as long again.
    if !isLinked, errno == ENOENT {
      isLinked = unsafe linkat(AT_FDCWD, "/proc/self/fd/\(file)", descriptor, name, AT_SYMLINK_FOLLOW) == 0
    }
    if isLinked { return true }
    let code = errno
    switch code {
    case EEXIST: return false
    // ENOENT may say that there is no /proc.
    case EPERM, EOPNOTSUPP, EXDEV, ENOENT: throw spools.absence ?? .linksUnsupported(path: path)
    default: throw StoreError(code, operation: "linking", path: path)
    }
  }

  /// Replaces the file that has the name already.
  ///
  /// It has the same content, perhaps not yet durable, or is what a power cut left of it; another process
  /// that may write here can have put anything there. The new file is verified. To read back the old one
  /// would take longer, and bring all of it into memory, which counts towards a limit.
  /// - Returns: false if it was pruned meanwhile.
  private func replace(_ stored: StoredFile, with file: Int32) throws(StoreError) -> Bool {
    let existing = open(named: stored.name)
    defer { close(existing) }
    // A file that this user may not read, because another has stored it, can be replaced as well.
    guard let old = existing < 0 ? status(named: stored.name) : fileStatus(of: existing) else { return false }
    guard old.st_mode.isRegularFile else { throw .nameOccupied(path: "\(path)/\(stored.name)") }
    if existing >= 0 {
      // Locked until the new file has its name: otherwise `prune` could remove that one instead.
      _ = lock(existing)
      guard fileStatus(of: existing).map({ $0.st_nlink > 0 }) == true else { return false }
    }
    // Servers and backups go by the modification time: to them it stays the same file.
    if old.st_size == stored.size {
      let times = [timespec(tv_sec: time(nil), tv_nsec: 0), old.st_mtim]
      _ = unsafe futimens(file, times)
    }
    let temporary = Self.aside(stored.name)
    // Otherwise `prune` could take it for what a crash has left.
    _ = lock(file)
    guard try link(file, as: temporary) else { throw .nameOccupied(path: "\(path)/\(temporary)") }
    guard unsafe renameat(descriptor, temporary, descriptor, stored.name) == 0 else {
      let code = errno
      remove(temporary)
      throw StoreError(code, operation: "replacing a file", path: path)
    }
    return true
  }

  /// A name that nobody looks for, for a file on its way to or from its own.
  static func aside(_ name: String) -> String { ".\(name).\(UInt64.random(in: .min ... .max))" }
}
