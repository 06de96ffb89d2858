internal import Decrypting
internal import Glibc
internal import Supporting

package enum KeyLocation: Equatable, Sendable {
  case file(String)
  /// Each file of the directory whose name ends in `.json` and does not start with a dot.
  case directory(String)
}

/// The keys of a file or a directory. Rereads them on changes. If that fails, keeps the old ones.
final class KeyStore: Sendable {
  private let files: ReloadedFiles<KeyRing, KeyFileError>

  /// - Parameter warn: gets a sentence if new keys cannot be read, or if keys may be paged out.
  init(_ location: KeyLocation, warn: @escaping @Sendable (String) -> Void) throws(KeyFileError) {
    files = try ReloadedFiles(
      label: "push-enricher.keys", warn: { warn("the old keys stay in use: \($0)") },
      stamps: { Self.stamps(of: location) },
      read: { () throws(KeyFileError) in try Self.read(location) })
    if !Secret.areUnpageable {
      warn("keys may be paged out: the limit on locked memory (ulimit -l) is too low for them")
    }
  }

  func ring() async -> KeyRing { await files.content() }

  /// The keys as they are now, for a single use.
  static func keys(at location: KeyLocation) throws(KeyFileError) -> KeyRing { try read(location).0 }

  private static func read(_ location: KeyLocation) throws(KeyFileError) -> (KeyRing, [String: FileStamp?]) {
    var records: [String: KeyRecord] = [:]
    var stamps: [String: FileStamp?] = [:]
    for path in try paths(of: location) {
      let file = try KeyFile.read(path)
      stamps[path] = file.stamp
      for (name, record) in file.records {
        if records.updateValue(record, forKey: name) != nil { throw .duplicate(path: path, keyID: name) }
      }
    }
    return (KeyRing(records), stamps)
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
        throw .unreadable(path: path, detail: SettingsFile.detail(errno, of: path))
      }
      var names: [String] = []
      while let name = directory.next() {
        if name.hasSuffix(".json"), !name.hasPrefix(".") { names.append(name) }
      }
      return names.sorted().map { "\(path)/\($0)" }
    }
  }
}
