import CLinux
import Glibc
@testable import Storing
import TestSupport
import Testing

@Suite("Names of files")
struct LinkingTests {
  /// Before Linux 6.10 this was so for everybody. Since then, a descriptor can be linked with the
  /// credentials that it was opened with.
  @Test("a file that the kernel does not link by its descriptor gets its name through /proc")
  func throughProc() async throws {
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      var incoming = try store.spools.makeSpool()
      try incoming.append([7])
      let file = try incoming.finish(filenameExtension: "jpg")
      let stranger = Stranger(file, of: store)
      try stranger.work()
      #expect(stranger.refusal == ENOENT)
      #expect(stranger.results == [.success(file.stored)])
      #expect(folder.names == [file.stored.name])
    }
  }
}

/// Commits a file on a separate thread without capabilities. To the kernel it is a different user
/// from the one that opened the file.
private final class Stranger {
  private let file: SpooledFile
  private let store: DirectoryStore
  /// The error of a link by descriptor; 0 if it works.
  private(set) var refusal: Int32?
  private(set) var results: [Result<StoredFile, StoreError>] = []

  init(_ file: SpooledFile, of store: DirectoryStore) {
    self.file = file
    self.store = store
  }

  func work() throws {
    var thread = pthread_t()
    let status = unsafe pthread_create(
      &thread, nil,
      { stranger in
        unsafe Unmanaged<Stranger>.fromOpaque(stranger.unsafelyUnwrapped).takeUnretainedValue().commit()
        return nil
      }, Unmanaged.passUnretained(self).toOpaque())
    try #require(status == 0)
    pthread_join(thread, nil)
  }

  private func commit() {
    guard keep_capabilities(0) == 0 else { return }
    let status = unsafe linkat(
      file.descriptor.number, "", AT_FDCWD, "\(store.spools.path)/refused", DirectoryStore.emptyPath)
    refusal = status == 0 ? 0 : errno
    results = store.commit([file])
  }
}
