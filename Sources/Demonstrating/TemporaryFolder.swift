internal import Glibc

/// A folder for as long as the demo runs.
struct TemporaryFolder: ~Copyable {
  let path: String

  /// - Throws: `DemoError` when none can be made.
  init() throws(DemoError) {
    let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/push-enricher-demo-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else {
      throw DemoError("no folder can be made in \(parent): set TMPDIR to one that can be written")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in DemoFolder(path: path).names ?? [] { unsafe unlink("\(path)/\(name)") }
    unsafe rmdir(path)
  }
}
