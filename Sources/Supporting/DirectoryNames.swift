internal import Glibc

/// The names of what is in a directory, one at a time and in no order, `.` and `..` among them. There may be
/// millions: none is kept.
@safe package struct DirectoryNames: ~Copyable {
  private let stream: OpaquePointer

  /// - Returns: nil when `path` cannot be read as a directory; `errno` says why.
  package init?(path: String) { unsafe self.init(opendir(path)) }

  /// - Parameter descriptor: of a directory. Closed with this value; stays the caller's when there is none.
  /// - Returns: nil when it cannot be read as a directory; `errno` says why.
  package init?(descriptor: Int32) { unsafe self.init(fdopendir(descriptor)) }

  private init?(_ stream: OpaquePointer?) {
    guard let stream = unsafe stream else { return nil }
    unsafe self.stream = stream
  }

  deinit { unsafe closedir(stream) }

  /// - Returns: nil behind the last one.
  package mutating func next() -> String? {
    guard let entry = unsafe readdir(stream) else { return nil }
    return unsafe withUnsafePointer(to: &entry.pointee.d_name) {
      unsafe $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { unsafe String(cString: $0) }
    }
  }
}
