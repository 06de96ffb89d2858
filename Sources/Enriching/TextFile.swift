internal import Glibc

/// A short file of the kernel's, as in /proc.
enum TextFile {
  /// Its first 4 KB; nil if it cannot be read.
  static func read(_ path: String) -> String? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var text = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe Glibc.read(file, &text, text.count)
    return count < 0 ? nil : String(decoding: text.prefix(count), as: UTF8.self)
  }
}
