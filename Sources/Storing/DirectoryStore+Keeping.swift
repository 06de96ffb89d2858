internal import CLinux
internal import Glibc
internal import Supporting

extension DirectoryStore {
  /// Ends a file that has all of its content: it is hashed and still has no name. Blocks on the disk.
  /// - Parameter filenameExtension: what the content deserves, without a dot.
  package func finish(
    _ file: consuming IncomingFile, filenameExtension: String
  ) throws(StoreError) -> FinishedFile {
    var file = file
    try file.flush()
    let digest = try file.digest.finish(at: file.size)
    return FinishedFile(
      descriptor: file.descriptor,
      stored: StoredFile(name: "\(digest).\(filenameExtension)", size: file.size, sha256: digest))
  }

  /// Gives each of `files` its name, and makes all of them durable together if the store is: what the disk does for each call it does
  /// for one file as for many.
  ///
  /// Blocks on the disk: call it where blocking is allowed.
  /// - Returns: what came of each, in the same order. Of those that failed nothing is left, unless it was only the names that could not
  ///   be made durable.
  package func keep(_ files: [FinishedFile]) -> [Result<StoredFile, StoreError>] {
    if let absence { return files.map { _ in .failure(absence) } }
    var results = files.map { Result<StoredFile, StoreError>.success($0.stored) }
    let new = files.indices.filter { !isInUse(files[$0].stored) }
    // The content first, its name after it: a name that survives a power cut then stands for all of the content.
    let errors = isDurable ? syncContents(of: new.map { files[$0].descriptor.number }) : [:]
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

  /// - Returns: why not, for those of which the disk did not take all.
  private func syncContents(of files: [Int32]) -> [Int32: StoreError] {
    if groups.sync(files.count, on: descriptor) { return [:] }
    var errors: [Int32: StoreError] = [:]
    for file in files {
      do throws(StoreError) { try sync(file) } catch { errors[file] = error }
    }
    return errors
  }

  /// Gives `file` its name, unless that is taken by the same content.
  /// - Returns: what stat(2) says of what stands under it now; nil where there is nothing new to know.
  private func name(_ stored: StoredFile, _ file: Int32) throws(StoreError) -> stat? {
    // What stood there may be collected before it is looked at: not a second time, with nobody who would put it there.
    for _ in 0..<8 {
      if try link(file, as: stored.name) { return status(of: file) }
      switch try meetExisting(stored, file) {
      case .same(let status): return status
      case .collected: continue
      }
    }
    throw .nameOccupied(path: "\(path)/\(stored.name)")
  }

  /// Whether the same content stands in the store already, for another result to name it.
  private func isInUse(_ stored: StoredFile) -> Bool {
    isKnown(stored.name) && use(stored.name, size: stored.size)
  }

  /// Whether the file under this name is what it was when it was verified.
  private func isKnown(_ name: String) -> Bool {
    // Most are not, and need not be looked for on the disk.
    guard known.contains(name) else { return false }
    var status = stat()
    return unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && known.contains(name, status)
  }

  /// What stands under the name already is the same content, perhaps not yet durable, or what a power cut left of it: its name is a
  /// promise of ours, not of whoever else can write here. This file is verified, and takes its place: to read back the other one would
  /// take longer, and bring all of it into memory, which a limit counts.
  private func meetExisting(_ stored: StoredFile, _ file: Int32) throws(StoreError) -> Encounter {
    // Another download of the same has come first.
    if isInUse(stored) { return .same(nil) }
    // Whatever it is, opening it does not wait (a FIFO would) and leads nowhere else (a link would).
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    let existing = unsafe openat(descriptor, stored.name, flags)
    defer { close(existing) }
    if existing < 0, errno == ENOENT { return .collected }
    guard existing >= 0, let status = status(of: existing), status.isRegularFile else {
      throw .nameOccupied(path: "\(path)/\(stored.name)")
    }
    // Locked until another has its name: whoever collects it would take that one instead.
    _ = lock(existing)
    guard self.status(of: existing).map({ $0.st_nlink > 0 }) == true else { return .collected }
    // Servers and backups go by the time of its change: to them it is the same file.
    if status.st_size == stored.size {
      let times = [timespec(tv_sec: time(nil), tv_nsec: 0), status.st_mtim]
      _ = unsafe futimens(file, times)
    }
    try replace(stored.name, with: file)
    return .same(self.status(of: file))
  }

  private func replace(_ name: String, with file: Int32) throws(StoreError) {
    let temporary = ".\(name).\(UInt64.random(in: .min ... .max))"
    guard try link(file, as: temporary) else { throw .nameOccupied(path: "\(path)/\(temporary)") }
    guard unsafe renameat(descriptor, temporary, descriptor, name) == 0 else {
      let code = errno
      remove(temporary)
      throw StoreError(code, operation: "replacing a file", path: path)
    }
  }

  /// Frees the memory that holds what is on the disk, where that counts.
  private func dropPages(of file: Int32) {
    if unwritten != nil { _ = posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) }
  }

  private func sync(_ file: Int32) throws(StoreError) {
    // Metadata too: for a directory it is all there is, and a new file's size is part of it.
    guard fsync(file) == 0 else { throw StoreError(errno, operation: "syncing", path: path) }
  }
}

extension DirectoryStore {
  /// What comes of a name that is taken.
  private enum Encounter {
    /// It stands for the same content: with what stat(2) said of it before that was verified, or nil where there is nothing new to know.
    case same(stat?)
    /// It was collected meanwhile.
    case collected
  }
}
