internal import Dispatch
internal import Supporting
internal import Synchronization

/// The content of files. Rereads the files when they have changed. If that fails, keeps the old content.
final class ReloadedFiles<Content: Sendable, ReadingError: Error>: Sendable {
  /// The stamps of the files by path. Nil if a file cannot be read.
  typealias Stamps = [String: FileStamp?]

  private struct State {
    let content: Content
    let stamps: Stamps
    /// Whether any later change would show in the stamps.
    let isSettled: Bool

    init(_ content: Content, _ stamps: Stamps) {
      self.content = content
      self.stamps = stamps
      isSettled = stamps.values.allSatisfy { $0?.isSettled ?? true }
    }
  }

  private let stamps: @Sendable () -> Stamps
  private let read: @Sendable () throws(ReadingError) -> (Content, Stamps)
  private let warn: @Sendable (ReadingError) -> Void
  private let state: Mutex<State>
  /// Separate from the store's queue, because the files may be on another disk.
  private let disk: DispatchQueue

  /// - Parameter warn: gets the reason if the new content cannot be read.
  init(
    label: String, warn: @escaping @Sendable (ReadingError) -> Void, stamps: @escaping @Sendable () -> Stamps,
    read: @escaping @Sendable () throws(ReadingError) -> (Content, Stamps)
  ) throws(ReadingError) {
    (self.stamps, self.read, self.warn) = (stamps, read, warn)
    disk = DispatchQueue(label: label)
    let (content, stamps) = try read()
    state = Mutex(State(content, stamps))
  }

  func content() async -> Content { await disk.run { self.refreshed() } }

  private func refreshed() -> Content {
    state.withLock { state in
      let stamps = self.stamps()
      guard stamps != state.stamps || !state.isSettled else { return state.content }
      do throws(ReadingError) {
        let (content, stamps) = try read()
        state = State(content, stamps)
      } catch {
        // Warns once. Reads the files again when something changes.
        if stamps != state.stamps { warn(error) }
        state = State(state.content, stamps)
      }
      return state.content
    }
  }
}
