internal import Glibc

/// Files of a folder, read whole: fixtures are small.
struct DemoFolder {
  let path: String

  /// The names of what is in it, sorted; nil if it cannot be read.
  var names: [String]? {
    guard let directory = unsafe opendir(path) else { return nil }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  func read(_ name: String) -> [UInt8]? {
    let descriptor = unsafe open("\(path)/\(name)", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return Console.read(descriptor, maximum: 1_000_000)
  }

  /// The folder in which a command that names none looks: in the checkout it is run in, or where an installation has them.
  static func fixtures() -> DemoFolder? {
    let program = Self.program ?? ""
    let besideProgram = program.split(separator: "/").dropLast(2).map { "/\($0)" }.joined()
    return ["Fixtures", "\(besideProgram)/share/push-enricher/Fixtures"].map { DemoFolder(path: $0) }
      .first { unsafe access("\($0.path)/payloads", R_OK) == 0 }
  }

  private static var program: String? {
    guard let path = unsafe realpath("/proc/self/exe", nil) else { return nil }
    defer { unsafe free(path) }
    return unsafe String(cString: path)
  }
}
