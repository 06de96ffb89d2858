// The members of `stat` belong to CLinux where that is loaded before Glibc.
internal import CLinux
internal import Dispatch
internal import Glibc
internal import Supporting

/// A directory of verified media files, each named after its content: `<sha256>.<extension>`.
///
/// The same content is stored once, whoever sends it. A file exists under its name only when all of it is
/// there: spools lie on the same file system, and get their names by linkat(2).
package final class DirectoryStore: MediaStore {
  typealias Arrival = (medium: any ArrivedMedium, continuation: Continuation)
  typealias Continuation = CheckedContinuation<Result<StoredFile?, StoreError>, Never>

  package let spools: SpoolDirectory
  private let urlBase: String
  let known = KnownFiles()
  /// Media that come while the disk is busy, to be committed together.
  private let arrivals: Coalescer<Arrival>
  /// Apart from commits, which wait for the disk.
  private let touching = DispatchQueue(label: "push-enricher.touching")

  var path: String { spools.path }
  var descriptor: Int32 { spools.descriptor }

  /// Opens `path`.
  /// - Throws: `StoreError.directoryMissing`, `.notADirectory`, `.notWritable`, …; if the settings want a test,
  ///   also what it finds.
  package init(path: String, _ settings: StoreSettings = StoreSettings()) throws(StoreError) {
    // For this user alone. An operator who wants others to read the media makes the directory.
    if settings.creates, unsafe mkdir(path, 0o700) != 0, errno != EEXIST {
      throw StoreError(errno, operation: "making the directory", path: path)
    }
    spools = try SpoolDirectory(path: path, settings)
    urlBase = settings.urlPrefix ?? "file://\(spools.path.percentEncodedPath)/"
    arrivals = Coalescer(on: settings.disk)
    if settings.testsItself { try testSelf() }
  }

  package func url(of name: String) -> String { urlBase + name }

  package func store(_ medium: any ArrivedMedium) async throws(StoreError) -> StoredFile? {
    try await withCheckedContinuation { continuation in
      arrivals.submit((medium, continuation)) { [self] batch in commit(batch) }
    }.get()
  }

  package func touch(_ name: String, size: Int) async -> Bool {
    await touching.run { [self] in touchNow(name, size: size) }
  }

  package func tryOut(bytes: Int) async throws(StoreError) {
    try await spools.settings.disk.run { [self] () throws(StoreError) in try tryOutNow(bytes: bytes) }
  }

  /// Takes a name away, if it is there.
  func remove(_ name: String) { _ = unsafe unlinkat(descriptor, name, 0) }

  /// Of what stands under a name, also if that is a link.
  func status(named name: String) -> stat? {
    var status = stat()
    return unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  /// Opens what stands under a name, to look at it. Whatever it is, this does not wait (as for a FIFO) or lead
  /// elsewhere (as a link does).
  /// - Returns: -1 and `errno` if it cannot be opened.
  func open(named name: String) -> Int32 {
    unsafe openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
  }
}

extension String {
  /// As the path of a URL (RFC 3986 section 3.3).
  fileprivate var percentEncodedPath: String {
    var path = ""
    for byte in utf8 {
      if byte.isASCIILetter || byte.isASCIIDigit || "-._~!$&'()*+,;=:@/".utf8.contains(byte) {
        path.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        path += "%" + String(hexadecimal: [byte].span).uppercased()
      }
    }
    return path
  }
}
