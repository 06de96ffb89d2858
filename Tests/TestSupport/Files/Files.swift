import Glibc
import Supporting
package import SystemPackage

/// Reads and writes whole files.
package enum Files {
  /// - Throws: `Errno`.
  package static func read(_ path: String) throws -> [UInt8] {
    let file = try FileDescriptor.open(FilePath(path), .readOnly)
    return try file.closeAfter {
      var bytes: [UInt8] = []
      while true {
        let piece = try read(from: file, atMost: 1 << 20)
        if piece.isEmpty { return bytes }
        bytes += piece
      }
    }
  }

  /// Creates the file or replaces its contents.
  /// - Parameter mode: the mode of a new file, as in chmod(1).
  /// - Throws: `Errno`.
  package static func write(_ bytes: [UInt8], to path: String, mode: UInt32 = 0o644) throws {
    let file = try FileDescriptor.open(
      FilePath(path), .writeOnly, options: [.create, .truncate], permissions: .init(rawValue: mode))
    _ = try file.closeAfter { try file.writeAll(bytes) }
  }

  /// The names in a folder, sorted, including hidden ones; empty if there is no such folder.
  package static func names(in folder: String) -> [String] {
    guard var directory = DirectoryNames(path: folder) else { return [] }
    var names: [String] = []
    while let name = directory.next() {
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Whether there is a file, a folder or anything else with this name.
  package static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  /// Removes a file, or a folder with everything in it, as far as possible. Does not follow
  /// symbolic links.
  package static func remove(_ path: String) {
    // remove(3) removes a link itself, and a folder only if it is empty.
    if unsafe Glibc.remove(path) == 0 { return }
    for name in names(in: path) { remove("\(path)/\(name)") }
    _ = unsafe Glibc.remove(path)
  }

  /// The mode of a file or folder in octal, as in chmod(1): `600`. Nil if it does not exist.
  package static func mode(of path: String) -> String? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    return String(status.st_mode & 0o7777, radix: 8)
  }

  /// The size of the file in bytes.
  /// - Throws: `Errno`.
  package static func size(of path: String) throws -> Int {
    let file = try FileDescriptor.open(FilePath(path), .readOnly)
    return Int(try file.closeAfter { try file.seek(offset: 0, from: .end) })
  }

  /// Reads up to `count` more bytes of the file; empty at its end.
  /// - Throws: `Errno`.
  package static func read(from file: FileDescriptor, atMost count: Int) throws -> [UInt8] {
    try unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = unsafe try file.read(into: UnsafeMutableRawBufferPointer(buffer))
    }
  }
}
