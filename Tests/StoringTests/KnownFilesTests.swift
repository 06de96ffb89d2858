import CLinux
import Glibc
@testable import Storing
import TestSupport
import Testing

@Suite("KnownFiles")
struct KnownFilesTests {
  /// The status of a file with this number, which has been unchanged for a year.
  private static func status(number: UInt64, size: Int = 3, seconds: Int = 1_700_000_000) -> stat {
    var status = stat()
    status.st_ino = ino_t(number)
    status.st_size = off_t(size)
    status.st_ctim = timespec(tv_sec: seconds, tv_nsec: 5)
    return status
  }

  @Test("a file that was noted is known, and a file that looks different is not") func noted() {
    let known = KnownFiles()
    #expect(!known.contains("a", Self.status(number: 1)))
    known.note("a", Self.status(number: 1))
    #expect(known.contains("a", Self.status(number: 1)))
    #expect(!known.contains("b", Self.status(number: 1)))
    #expect(!known.contains("a", Self.status(number: 2)))
    #expect(!known.contains("a", Self.status(number: 1, size: 4)))
    #expect(!known.contains("a", Self.status(number: 1, seconds: 1_700_000_001)))
    // It is noted again with its new status.
    known.note("a", Self.status(number: 2))
    #expect(known.contains("a", Self.status(number: 2)))
    #expect(!known.contains("a", Self.status(number: 1)))
  }

  @Test("a file that could change again without being noticed is not known") func unsettled() {
    let known = KnownFiles()
    known.note("a", Self.status(number: 1, seconds: .max))
    #expect(!known.contains("a", Self.status(number: 1, seconds: .max)))
  }

  @Test("the oldest known file is forgotten if there are too many") func bounded() {
    let known = KnownFiles()
    for number in 0...KnownFiles.maximum { known.note("\(number)", Self.status(number: UInt64(number))) }
    #expect(!known.contains("0", Self.status(number: 0)))
    for number in 1...KnownFiles.maximum {
      #expect(known.contains("\(number)", Self.status(number: UInt64(number))))
    }
  }

  @Test(
    "a file that was tampered with is replaced, however soon and whatever its size", arguments: [true, false])
  func tampered(isDurable: Bool) async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path, StoreSettings(isDurable: isDurable))
      for round in 0..<40 {
        let name = try store.store([1, 2, 3]).name
        try Files.write([9, 9, 9], to: folder.path(of: name))
        _ = try store.store([1, 2, 3])
        #expect(try Files.read(folder.path(of: name)) == [1, 2, 3], "round \(round)")
        // A removed file is stored again.
        if round % 2 == 0 { Files.remove(folder.path(of: name)) }
      }
    }
  }
}
