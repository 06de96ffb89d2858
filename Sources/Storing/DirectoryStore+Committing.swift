internal import CLinux
internal import Glibc
internal import Supporting

extension DirectoryStore {
  /// Finishes a file that has all of its content: it is written and hashed, and has no name yet. Blocks on
  /// the disk.
  /// - Parameter filenameExtension: that of its media type, without a dot.
  package func finish(
    _ file: consuming IncomingFile, filenameExtension: String
  ) throws(StoreError) -> FinishedFile {
    var file = file
    let unnamed = try file.finish()
    let digest = try unnamed.digest.finish(at: file.size)
    return FinishedFile(
      descriptor: unnamed.descriptor,
      stored: StoredFile(name: "\(digest).\(filenameExtension)", size: file.size, sha256: digest),
      failures: unnamed.failures)
  }

  /// Gives each of `files` its name, and makes all of them durable together if the store is durable: one sync
  /// costs the disk the same for one file as for many.
  ///
  /// Blocks on the disk: call it where blocking is allowed.
  /// - Returns: a result for each, in the same order. Nothing is left of a file that failed, unless only its
  ///   name could not be made durable.
  package func commit(_ files: [FinishedFile]) -> [Result<StoredFile, StoreError>] {
    if let absence { return files.map { _ in .failure(absence) } }
    var results = files.map { Result<StoredFile, StoreError>.success($0.stored) }
    let new = files.indices.filter { !isInUse(files[$0].stored) }
    // The content first, then its name: a name that survives a power cut then has all of its content.
    let errors = isDurable ? syncContents(of: new.map { files[$0] }) : [:]
    var named: [(index: Int, status: stat?)] = []
    for index in new {
      let file = files[index].descriptor.number
      do throws(StoreError) {
        if let error = errors[file] { throw error }
        dropPages(of: file)
        named.append((index, try name(files[index].stored, file)))
      } catch {
        results[index] = .failure(error)
      }
    }
    do throws(StoreError) {
      if isDurable, !named.isEmpty { try sync(descriptor) }
      for (index, status) in named { if let status { known.note(files[index].stored.name, status) } }
    } catch {
      for (index, _) in named { results[index] = .failure(error) }
    }
    return results
  }

  /// - Returns: the errors, by descriptor, of files that are not durable.
  private func syncContents(of files: [FinishedFile]) -> [Int32: StoreError] {
    let failures = files.map(\.failures).min() ?? 0
    if groups.sync(files.count, begunAfter: failures, on: descriptor) { return [:] }
    var errors: [Int32: StoreError] = [:]
    for file in files.map(\.descriptor.number) {
      do throws(StoreError) { try sync(file) } catch { errors[file] = error }
    }
    return errors
  }

  /// Gives `file` its name, unless that is taken by the same content.
  /// - Returns: the stat(2) of the file that has the name now; nil if it is known already.
  private func name(_ stored: StoredFile, _ file: Int32) throws(StoreError) -> stat? {
    // The existing file may be pruned before it is examined. That does not happen twice, unless something
    // keeps putting it there.
    for _ in 0..<8 {
      if try link(file, as: stored.name) { return status(of: file) }
      switch try resolveCollision(of: stored, with: file) {
      case .same(let status): return status
      case .removed: continue
      }
    }
    throw .nameOccupied(path: "\(path)/\(stored.name)")
  }

  /// Whether the store has the same content already. It counts as used from now on.
  private func isInUse(_ stored: StoredFile) -> Bool {
    isKnown(stored.name) && touch(stored.name, size: stored.size)
  }

  /// Whether the file under this name is what it was when it was verified.
  private func isKnown(_ name: String) -> Bool {
    // Most are not known, and need no look at the disk.
    guard known.contains(name) else { return false }
    var status = stat()
    return unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && known.contains(name, status)
  }

  /// Replaces the file that has the name already.
  ///
  /// It has the same content, perhaps not yet durable, or is what a power cut left of it; another process
  /// that may write here can have put anything there. The new file is verified. To read back the old one
  /// would take longer, and bring all of it into memory, which counts towards a limit.
  private func resolveCollision(
    of stored: StoredFile, with file: Int32
  ) throws(StoreError) -> CollisionOutcome {
    // Another download of the same was committed first.
    if isInUse(stored) { return .same(nil) }
    // Whatever is there, opening it must not wait (as for a FIFO) or lead elsewhere (as a link does).
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    let existing = unsafe openat(descriptor, stored.name, flags)
    defer { close(existing) }
    // A file that this user may not read, because another has stored it, can be replaced as well.
    guard let status = existing < 0 ? status(named: stored.name) : status(of: existing) else {
      return .removed
    }
    guard status.st_mode.isRegularFile else { throw .nameOccupied(path: "\(path)/\(stored.name)") }
    if existing >= 0 {
      // Locked until the new file has its name: otherwise `prune` could remove that one instead.
      _ = lock(existing)
      guard self.status(of: existing).map({ $0.st_nlink > 0 }) == true else { return .removed }
    }
    // Servers and backups go by the modification time: to them it stays the same file.
    if status.st_size == stored.size {
      let times = [timespec(tv_sec: time(nil), tv_nsec: 0), status.st_mtim]
      _ = unsafe futimens(file, times)
    }
    try replace(stored.name, with: file)
    return .same(self.status(of: file))
  }

  private func replace(_ name: String, with file: Int32) throws(StoreError) {
    let temporary = ".\(name).\(UInt64.random(in: .min ... .max))"
    // Otherwise `prune` could take it for what a crash has left.
    _ = lock(file)
    guard try link(file, as: temporary) else { throw .nameOccupied(path: "\(path)/\(temporary)") }
    guard unsafe renameat(descriptor, temporary, descriptor, name) == 0 else {
      let code = errno
      remove(temporary)
      throw StoreError(code, operation: "replacing a file", path: path)
    }
  }

  /// Frees the page cache of a file that is on the disk, where a memory limit counts it.
  private func dropPages(of file: Int32) {
    if unwritten != nil { _ = posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) }
  }

  private func sync(_ file: Int32) throws(StoreError) {
    // Metadata too: for a directory it is all there is, and a new file's size is part of it.
    guard fsync(file) == 0 else { throw StoreError(errno, operation: "syncing", path: path) }
  }
}

extension DirectoryStore {
  private enum CollisionOutcome {
    /// The name is that of the same content: with its stat(2), or nil if it is known already.
    case same(stat?)
    /// It was pruned meanwhile.
    case removed
  }
}
