internal import CLinux
internal import Dispatch
internal import Glibc
internal import Supporting

/// A directory of verified media files, each named after its content: `<sha256>.<extension>`. A
/// file gets its name when it is complete: linkat(2) names spools on its file system.
package final class DirectoryStore: MediaStore {
  typealias Arrival = (medium: any ArrivedMedium, continuation: Continuation)
  typealias Continuation = CheckedContinuation<Result<StoredFile?, StoreError>, Never>

  package let spools: SpoolDirectory
  private let urlBase: String
  let known = KnownFiles()
  /// Collects media that arrive while the disk is busy. They are committed together.
  private let arrivals: Coalescer<Arrival>
  /// A queue of its own, so that touching a file does not wait for commits.
  let touching = DispatchQueue(label: "push-enricher.touching")

  var path: String { spools.path }
  var descriptor: Int32 { spools.descriptor }

  /// - Throws: `StoreError.directoryMissing`, `.notADirectory`, … or the error that the test finds.
  package init(path: String, _ settings: StoreSettings = StoreSettings()) throws(StoreError) {
    // For this user alone. If others should read the media, the operator makes the directory.
    if settings.creates, unsafe mkdir(path, 0o700) != 0, errno != EEXIST {
      let code = errno
      guard [EACCES, EPERM, EROFS].contains(code) else {
        throw StoreError(code, operation: "creating the directory", path: path)
      }
      let parent = path.parentDirectory
      throw .notCreatable(path: path, parent: realPath(of: parent) ?? parent)
    }
    spools = try SpoolDirectory(path: path, settings)
    // RFC 3986 section 3.3.
    let path = spools.path.utf8.percentEncoded(keeping: "!$&'()*+,;=:@/")
    urlBase = settings.urlPrefix ?? "file://\(path)/"
    arrivals = Coalescer(on: settings.disk)
    if settings.testsItself { try testSelf() }
  }

  package func url(of name: String) -> String { urlBase + name }

  package func store(_ medium: any ArrivedMedium) async throws(StoreError) -> StoredFile? {
    try await withCheckedContinuation { continuation in
      arrivals.submit((medium, continuation)) { [self] batch in commit(batch) }
    }.get()
  }

  func remove(_ name: String) { _ = unsafe unlinkat(descriptor, name, 0) }

  /// The stat(2) of the file with this name. Does not follow a link.
  func status(named name: String) -> stat? {
    var status = stat()
    return unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  /// Opens the file with this name for reading. Does not wait for a FIFO, and follows no link.
  /// - Returns: -1 and `errno` if that fails.
  func open(named name: String) -> Int32 {
    unsafe openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
  }
}
