public import Foundation

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Keeps the state in a file that all extensions of an app and the app itself share.
public struct FileStateStore: QueueStateStore {
  /// Why a state cannot be changed. The push is then shown as it is.
  public enum Failure: Error, Equatable {
    /// Others held the lock for too long.
    case locked
    /// The lock file cannot be opened or locked. The number is errno.
    case cannotLock(Int32)
    /// The file is there, but cannot be read yet: before the first unlock after a restart, for example.
    case cannotRead
    case cannotWrite
  }

  /// In bytes. A state has 300 bytes and the device's id.
  private static let maximumLength = 65_536
  private let file: URL
  private let lock: URL
  private let patience: Duration

  /// - Parameters:
  ///   - directory: that of the app group (`FileManager.containerURL(forSecurityApplicationGroupIdentifier:)`).
  ///   - name: the name of the file. Apps that share a group need different ones.
  ///   - patience: how long it waits for the lock. Others hold it for a millisecond.
  public init(directory: URL, name: String = "push-queue", patience: Duration = .seconds(2)) {
    file = directory.appendingPathComponent("\(name).json")
    lock = directory.appendingPathComponent("\(name).lock")
    self.patience = patience
  }

  /// - Throws: `Failure`.
  public func update<Result: Sendable>(_ change: @Sendable (inout QueueState) -> Result) async throws
    -> Result
  {
    let descriptor = unsafe open(lock.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure.cannotLock(errno) }
    // This also unlocks. iOS ends an app that is suspended with a lock in its group, so nothing below waits.
    defer { _ = close(descriptor) }
    try await acquire(descriptor)
    let old = try read()
    var state = old
    let result = change(&state)
    if state != old { try write(state) }
    return result
  }

  /// Does not block a thread while others hold the lock.
  private func acquire(_ descriptor: Int32) async throws {
    let end = ContinuousClock.now + patience
    // flock(2): the lock belongs to this opening of the file, so it also holds between tasks of one process.
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let code = errno
      guard code == EWOULDBLOCK || code == EINTR else { throw Failure.cannotLock(code) }
      guard ContinuousClock.now < end, !Task.isCancelled else { throw Failure.locked }
      try? await Task.sleep(for: .milliseconds(5))
    }
  }

  /// A missing or damaged file is a fresh state: counting begins with the next push.
  private func read() throws(Failure) -> QueueState {
    guard FileManager.default.fileExists(atPath: file.path) else { return QueueState() }
    guard let handle = try? FileHandle(forReadingFrom: file) else { throw .cannotRead }
    defer { try? handle.close() }
    let data: Data
    do { data = try handle.read(upToCount: Self.maximumLength) ?? Data() } catch { throw .cannotRead }
    guard let state = try? JSONDecoder().decode(QueueState.self, from: data), state.isSound else {
      return QueueState()
    }
    return state
  }

  /// Replaces the file in one step.
  private func write(_ state: QueueState) throws(Failure) {
    var options: Data.WritingOptions = .atomic
    #if canImport(Darwin)
      // Pushes also arrive while the device is locked.
      options.insert(.completeFileProtectionUntilFirstUserAuthentication)
    #endif
    do { try JSONEncoder().encode(state).write(to: file, options: options) } catch { throw .cannotWrite }
  }
}
