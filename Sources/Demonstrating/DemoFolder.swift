internal import Glibc
internal import Supporting

/// A folder whose files are read whole, because fixtures are small.
struct DemoFolder {
  let path: String

  /// The sorted names in the folder, without hidden ones. Nil if the folder cannot be read.
  var names: [String]? {
    guard var directory = DirectoryNames(path: path) else { return nil }
    var names: [String] = []
    while let name = directory.next() {
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  func read(_ name: String) -> [UInt8]? { FileBytes.read(path: "\(path)/\(name)", maximum: 1_000_000) }

  /// The default folder: that of the checkout in the working directory, or of the installation.
  static func fixtures() -> DemoFolder? {
    let program = realPath(of: "/proc/self/exe") ?? ""
    let besideProgram = program.split(separator: "/").dropLast(2).map { "/\($0)" }.joined()
    return ["Fixtures", "\(besideProgram)/share/push-enricher/Fixtures"].map { DemoFolder(path: $0) }
      .first { unsafe access("\($0.path)/payloads", R_OK) == 0 }
  }
}

struct TemporaryFolder: ~Copyable {
  let path: String

  private static var parent: String { unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp" }

  /// A folder with this name, empty and for this user alone. A process that was killed may have left it.
  init(named name: String) throws(DemoError) {
    path = "\(Self.parent)/\(name)"
    let isNew = unsafe mkdir(path, 0o700) == 0
    var status = stat()
    guard isNew || errno == EEXIST, unsafe lstat(path, &status) == 0 else {
      throw DemoError("\(path) cannot be created (\(String(errno: errno))): set TMPDIR to a writable folder")
    }
    guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
      throw DemoError(
        "\(path) is not a folder of this user alone: remove it, or set TMPDIR to another folder")
    }
    removeFiles()
  }

  init() throws(DemoError) {
    let parent = Self.parent
    var template = Array("\(parent)/push-enricher-demo-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else {
      throw DemoError("no folder can be created in \(parent): set TMPDIR to a writable folder")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    removeFiles()
    unsafe rmdir(path)
  }

  private func removeFiles() {
    for name in DemoFolder(path: path).names ?? [] { unsafe unlink("\(path)/\(name)") }
  }
}
