internal import Glibc

/// The names in a directory, unordered, with `.` and `..`. Reads them one by one, because there may be millions.
@safe package struct DirectoryNames: ~Copyable {
  private let stream: OpaquePointer

  /// Returns nil if `path` cannot be read as a directory; `errno` says why.
  package init?(path: String) { unsafe self.init(opendir(path)) }

  /// Reads an open directory. This value closes `descriptor`, unless this returns nil.
  package init?(descriptor: Int32) { unsafe self.init(fdopendir(descriptor)) }

  private init?(_ stream: OpaquePointer?) {
    guard let stream = unsafe stream else { return nil }
    unsafe self.stream = stream
  }

  deinit { unsafe closedir(stream) }

  /// Whether a directory has certificates under hashes of their names (`openssl rehash`).
  package static func haveCertificates(in path: String) -> Bool {
    guard var names = DirectoryNames(path: path) else { return false }
    while let name = names.next() {
      if name.hasSuffix(".0") { return true }
    }
    return false
  }

  package mutating func next() -> String? {
    guard let entry = unsafe readdir(stream) else { return nil }
    return unsafe withUnsafePointer(to: &entry.pointee.d_name) {
      unsafe $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { unsafe String(cString: $0) }
    }
  }
}
