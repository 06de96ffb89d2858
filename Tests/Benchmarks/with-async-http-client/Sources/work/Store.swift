import CLinux
import Glibc
import NIOPosix

/// A directory in which files get their names when they are on the disk. One syncfs(2) covers all
/// files that were finished while the previous one ran.
actor Store {
  nonisolated let path: String
  private let directory: FileDescriptor
  private var waiting: [(file: FinishedFile, done: CheckedContinuation<Void, any Error>)] = []
  private var isWriting = false

  init(_ path: String) throws(WorkError) {
    self.path = path
    directory = try FileDescriptor(path, O_RDONLY | O_DIRECTORY)
  }

  func keep(_ file: FinishedFile) async throws {
    try await withCheckedThrowingContinuation { done in
      waiting.append((file, done))
      guard !isWriting else { return }
      isWriting = true
      Task { await writeAll() }
    }
  }

  private func writeAll() async {
    while !waiting.isEmpty {
      let batch = waiting
      waiting = []
      let result = await write(batch.map(\.file))
      for (_, done) in batch { done.resume(with: result) }
    }
    isWriting = false
  }

  /// Runs outside of the threads of Swift's tasks, because a disk may block for long.
  private func write(_ files: [FinishedFile]) async -> Result<Void, any Error> {
    let path = path
    let directory = directory
    do {
      try await NIOThreadPool.singleton.runIfActive {
        guard sync_file_system(directory.value) == 0 else { throw WorkError.file(errno: errno) }
        for file in files {
          let unnamed = "/proc/self/fd/\(file.descriptor.value)"
          guard unsafe linkat(AT_FDCWD, unnamed, AT_FDCWD, "\(path)/\(file.name)", AT_SYMLINK_FOLLOW) == 0
          else {
            throw WorkError.file(errno: errno)
          }
        }
        guard fsync(directory.value) == 0 else { throw WorkError.file(errno: errno) }
      }
      return .success(())
    } catch {
      return .failure(error)
    }
  }
}
