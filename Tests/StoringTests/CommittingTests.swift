import Glibc
@testable import Storing
import TestSupport
import Testing

@Suite("Files committed together")
struct CommittingTests {
  @Test("each file gets its own name", arguments: [1, 3, 4, 50], [true, false])
  func together(count: Int, isDurable: Bool) async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path, StoreSettings(isDurable: isDurable))
      let files = try (0..<count).map { try store.finished(Self.content($0)) }
      #expect(folder.names.isEmpty)
      let committed = try store.commit(files).map { try $0.get() }
      #expect(Set(committed.map(\.name)).count == count)
      #expect(folder.names == committed.map(\.name).sorted())
      for (number, file) in committed.enumerated() {
        #expect(try Files.read(folder.path(of: file.name)) == Self.content(number))
      }
      _ = consume files
      #expect(descriptors(in: folder.path) == 1)
    }
  }

  @Test("files with the same content become one") func same() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let committed = try store.commit((0..<6).map { _ in try store.finished([7]) }).map { try $0.get() }
      #expect(Set(committed.map(\.name)).count == 1)
      #expect(folder.names == [committed[0].name])
      #expect(try Files.read(folder.path(of: committed[0].name)) == [7])
    }
  }

  @Test("a file that fails does not affect the others") func failures() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let files = try (0..<5).map { try store.finished(Self.content($0)) }
      let occupied = files[2].stored.name
      #expect(unsafe mkdir(folder.path(of: occupied), 0o755) == 0)
      let results = store.commit(files)
      for (number, result) in results.enumerated() {
        let expected: Result<StoredFile, StoreError> =
          number == 2
          ? .failure(.nameOccupied(path: "\(store.spools.path)/\(occupied)")) : .success(files[number].stored)
        #expect(result == expected)
      }
      #expect(folder.names == files.map(\.stored.name).sorted())
    }
  }

  @Test("a few files are not synced as a group, and none are before Linux 5.8") func groups() async throws {
    try await withTemporaryDirectory { folder in
      let directory = unsafe open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      defer { close(directory) }
      let groups = GroupSync(slowThreshold: .seconds(3_600), isReliable: true)
      #expect(!groups.sync(GroupSync.fewest - 1, begunAfter: 0, on: directory))
      for _ in 0..<3 { #expect(groups.sync(GroupSync.fewest, begunAfter: 0, on: directory)) }
      #expect(!groups.sync(GroupSync.fewest, begunAfter: 0, on: -1))
      let unreliable = GroupSync(slowThreshold: .seconds(3_600), isReliable: false)
      #expect(!unreliable.sync(64, begunAfter: 0, on: directory))
    }
  }

  @Test(
    "files that were started before a group failed are synced one by one, because an error is reported once")
  func failed() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      let groups = GroupSync(slowThreshold: .seconds(3_600), isReliable: true)
      for failures in 0..<3 {
        #expect(groups.failures == failures)
        #expect(groups.sync(64, begunAfter: failures, on: store.spools.descriptor))
        // An invalid descriptor, which cannot be synced, simulates a disk failure.
        #expect(!groups.sync(64, begunAfter: failures, on: -1))
        for old in 0...failures { #expect(!groups.sync(64, begunAfter: old, on: store.spools.descriptor)) }
      }
    }
  }

  @Test("files remember how many groups had failed when they were made") func made() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      var old = try store.spools.makeSpool()
      #expect(!store.spools.groups.sync(64, begunAfter: 0, on: -1))
      try old.append([1])
      // A buffered file is made when it is finished.
      var buffered = try store.spools.makeSpool(announced: 1)
      #expect(!store.spools.groups.sync(64, begunAfter: 1, on: -1))
      try buffered.append([3])
      let files = [
        try old.finish(filenameExtension: "jpg"), try buffered.finish(filenameExtension: "jpg"),
        try store.finished([2]),
      ]
      #expect(files.map(\.descriptor.failures) == [0, 2, 2])
      #expect(store.commit(files) == files.map { .success($0.stored) })
    }
  }

  @Test("after a slow group, the next files are synced one by one") func slow() async throws {
    try await withTemporaryDirectory { folder in
      let directory = unsafe open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      defer { close(directory) }
      let groups = GroupSync(slowThreshold: .zero, isReliable: true)
      for _ in 0..<2 {
        #expect(groups.sync(64, begunAfter: 0, on: directory))
        let results = (0..<100 * GroupSync.rest).map { _ in groups.sync(64, begunAfter: 0, on: directory) }
        #expect(!results.contains(true))
      }
    }
  }

  @Test(
    "the slower a group was, the longer files are synced one by one",
    arguments: [(499, 0), (500, 0), (501, 64), (30_000, 64 * 60), (1_000_000, 6_400)])
  func rest(milliseconds: Int, groups: Int) {
    let threshold = Duration.milliseconds(500)
    let sync = GroupSync(slowThreshold: threshold, isReliable: true)
    #expect(sync.rest(after: .milliseconds(milliseconds)) == groups)
  }

  private static func content(_ number: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 1_000 + number)
  }
}

extension DirectoryStore {
  fileprivate func finished(_ bytes: [UInt8]) throws(StoreError) -> SpooledFile {
    var file = try spools.makeSpool()
    try file.append(bytes.span)
    return try file.finish(filenameExtension: "jpg")
  }
}
