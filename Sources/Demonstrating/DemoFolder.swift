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

  init() throws(DemoError) {
    let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/push-enricher-demo-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else {
      throw DemoError("no folder can be created in \(parent): set TMPDIR to a writable folder")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in DemoFolder(path: path).names ?? [] { unsafe unlink("\(path)/\(name)") }
    unsafe rmdir(path)
  }
}
