internal import Decrypting
internal import Dispatch
internal import Glibc
internal import Supporting
internal import Synchronization

package enum KeyLocation: Equatable, Sendable {
  case file(String)
  /// Each file of the directory whose name ends in `.json` and does not start with a dot.
  case directory(String)
}

/// The keys of a file or a directory. Rereads them on changes. If that fails, keeps the old ones.
final class KeyStore: Sendable {
  private struct State {
    let ring: KeyRing
    /// The stamps of the files by path. Nil if a file cannot be read.
    let stamps: [String: FileStamp?]
    /// Whether any later change would show in the stamps.
    let isSettled: Bool

    init(_ ring: KeyRing, _ stamps: [String: FileStamp?]) {
      self.ring = ring
      self.stamps = stamps
      isSettled = stamps.values.allSatisfy { $0?.isSettled ?? true }
    }
  }

  private let location: KeyLocation
  private let warn: @Sendable (String) -> Void
  private let state: Mutex<State>
  /// Separate from the store's queue, because the keys may be on another disk.
  private let disk = DispatchQueue(label: "push-enricher.keys")

  /// - Parameter warn: gets a sentence if new keys cannot be read, or if keys may be paged out.
  init(_ location: KeyLocation, warn: @escaping @Sendable (String) -> Void) throws(KeyFileError) {
    self.location = location
    self.warn = warn
    state = Mutex(try Self.read(location))
    if !Secret.areUnpageable {
      warn("keys may be paged out: the limit on locked memory (ulimit -l) is too low for them")
    }
  }

  func ring() async -> KeyRing { await disk.run { self.refreshed() } }

  /// The keys as they are now, for a single use.
  static func keys(at location: KeyLocation) throws(KeyFileError) -> KeyRing { try read(location).ring }

  private func refreshed() -> KeyRing {
    state.withLock { state in
      let stamps = Self.stamps(of: location)
      guard stamps != state.stamps || !state.isSettled else { return state.ring }
      do throws(KeyFileError) {
        state = try Self.read(location)
      } catch {
        // Warns once. Reads the keys again when something changes.
        if stamps != state.stamps { warn("the old keys stay in use: \(error)") }
        state = State(state.ring, stamps)
      }
      return state.ring
    }
  }

  private static func read(_ location: KeyLocation) throws(KeyFileError) -> State {
    var records: [String: KeyRecord] = [:]
    var stamps: [String: FileStamp?] = [:]
    for path in try paths(of: location) {
      let file = try KeyFile.read(path)
      stamps[path] = file.stamp
      for (name, record) in file.records {
        if records.updateValue(record, forKey: name) != nil { throw .duplicate(path: path, keyID: name) }
      }
    }
    return State(KeyRing(records), stamps)
  }

  private static func stamps(of location: KeyLocation) -> [String: FileStamp?] {
    let paths = (try? paths(of: location)) ?? []
    // A directory that changes while it is read may name a file twice.
    return Dictionary(paths.map { ($0, FileStamp(of: $0)) }, uniquingKeysWith: { _, last in last })
  }

  private static func paths(of location: KeyLocation) throws(KeyFileError) -> [String] {
    switch location {
    case .file(let path): return [path]
    case .directory(let path):
      guard var directory = DirectoryNames(path: path) else {
        throw .unreadable(path: path, detail: String(errno: errno))
      }
      var names: [String] = []
      while let name = directory.next() {
        if name.hasSuffix(".json"), !name.hasPrefix(".") { names.append(name) }
      }
      return names.sorted().map { "\(path)/\($0)" }
    }
  }
}

/// Shows whether a file has been replaced or changed.
struct FileStamp: Equatable {
  private let device, inode: UInt
  private let size: Int
  /// The last change of the inode (ctime), in nanoseconds since 1970. No program can set it.
  private let changed: Int

  init(_ status: stat) {
    (device, inode, size) = (UInt(status.st_dev), UInt(status.st_ino), Int(status.st_size))
    changed = status.st_ctim.tv_sec * 1_000_000_000 + status.st_ctim.tv_nsec
  }

  init?(of path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Whether any later change would show. File times advance in steps of a few milliseconds.
  var isSettled: Bool { WallClock.nanoseconds - changed > 1_000_000_000 }
}
