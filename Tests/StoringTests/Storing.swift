import CLinux
import Glibc
import TestSupport

@testable import Storing

extension StoreSettings {
  init(creates: Bool = false, isDurable: Bool = true, unwrittenBytes: Int? = nil, pieceBytes: Int = 0) {
    self.init()
    self.creates = creates
    self.isDurable = isDurable
    self.unwrittenBytes = unwrittenBytes
    self.pieceBytes = pieceBytes
  }
}

extension DirectoryStore {
  /// Commits one file in a group of one.
  func commit(_ spool: consuming Spool, filenameExtension: String) throws(StoreError) -> StoredFile {
    var spool = spool
    return try commit([try spool.finish(filenameExtension: filenameExtension)])[0].get()
  }

  /// Stores `bytes`, appended in pieces of `size`.
  func store(_ bytes: [UInt8], as filenameExtension: String = "jpg", inPiecesOf size: Int = 16_384) throws
    -> StoredFile
  {
    var file = try spools.makeSpool()
    try file.append(bytes, inPiecesOf: size)
    return try commit(file, filenameExtension: filenameExtension)
  }
}

extension Spool {
  mutating func append(_ bytes: [UInt8], inPiecesOf size: Int = 16_384) throws(StoreError) {
    for start in stride(from: 0, to: bytes.count, by: size) {
      try append(bytes.span.extracting(start..<min(start + size, bytes.count)))
    }
  }

  /// Reads up to `count` bytes at `offset`.
  func bytes(at offset: Int, count: Int) -> [UInt8] {
    var buffer = [UInt8](repeating: 0xee, count: count)
    var span = buffer.mutableSpan
    let read = read(at: offset, into: &span)
    return Array(buffer.prefix(read))
  }
}

/// The number of open descriptors of this process for files in `folder`, named or not.
func descriptors(in folder: String) -> Int {
  Files.names(in: "/proc/self/fd").count { name in
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = unsafe readlink("/proc/self/fd/\(name)", &target, target.count)
    let path = String(decoding: target.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return path.hasPrefix(folder)
  }
}

/// The result of lstat(2).
func status(of path: String) -> stat {
  var status = stat()
  _ = unsafe lstat(path, &status)
  return status
}
