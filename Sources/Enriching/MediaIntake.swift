internal import Fetching
internal import Sniffing
internal import Storing
internal import Synchronization

/// Where a body goes, piece by piece, on the transfer loop's thread: into an unnamed file, and past the sniffer until that has
/// made up its mind. The first piece that settles it ends the transfer: a wrong type, or more bytes than its family may have.
final class MediaIntake: Sendable {
  typealias Kept = (file: StoredFile, format: MediaFormat)

  private struct State: ~Copyable {
    var file: IncomingFile?
    var announced: Int?
    var format: MediaFormat?
    var failure: Failure?
    /// Bytes that the sniffer wants to see before it is asked again.
    var needs = 4_096
    /// Bytes between two looks at the process's memory.
    var nextSample = 0
  }

  private let store: DirectoryStore
  private let sniffer: Sniffer
  private let limits: SizeLimits
  private let budget: MemoryBudget
  private let state = Mutex(State())

  init(store: DirectoryStore, sniffer: Sniffer, limits: SizeLimits, budget: MemoryBudget) {
    self.store = store
    self.sniffer = sniffer
    self.limits = limits
    self.budget = budget
  }

  /// What the bytes are, as far as that is known.
  var format: MediaFormat? { state.withLock { $0.format } }

  /// What a file of that format may have, in bytes.
  var limit: Int? { format.map { limits[$0.family] } }

  /// Why the body was not wanted any more.
  var failure: Failure? { state.withLock { $0.failure } }

  var consumer: BodyConsumer {
    BodyConsumer(begin: { self.begin($0) }, receive: { self.receive($0) })
  }

  private func begin(_ head: ResponseHead) -> BodyConsumer.Decision {
    state.withLock { state in
      state = State()
      state.announced = head.contentLength
      return step(&state) { (state) throws(Failure) in
        do throws(StoreError) {
          state.file = try store.makeFile()
        } catch {
          throw Failure(error)
        }
      }
    }
  }

  private func receive(_ bytes: Span<UInt8>) -> BodyConsumer.Decision {
    state.withLock { state in
      step(&state) { (state) throws(Failure) in
        do throws(StoreError) {
          try state.file?.append(bytes)
        } catch {
          throw Failure(error)
        }
        try checkMemory(&state)
        try sniff(&state, isComplete: false)
        try checkSize(&state)
      }
    }
  }

  /// Gives the file its name, once the whole body is there and is what it should be. Blocks on the disk.
  func keep() throws(Failure) -> Kept {
    try state.withLock { (state) throws(Failure) in
      try sniff(&state, isComplete: true)
      try checkSize(&state)
      guard let format = state.format, let file = state.file.take() else {
        throw Failure(.typeUnsupported, "there is no body")
      }
      do throws(StoreError) {
        return (try store.keep(file, filenameExtension: format.filenameExtension), format)
      } catch {
        throw Failure(error)
      }
    }
  }

  private func step(
    _ state: inout State, _ body: (inout State) throws(Failure) -> Void
  ) -> BodyConsumer.Decision {
    do throws(Failure) {
      try body(&state)
      return .more
    } catch {
      state.failure = error
      state.file = nil
      return .stop
    }
  }

  private func checkMemory(_ state: inout State) throws(Failure) {
    let size = state.file?.size ?? 0
    guard size >= state.nextSample else { return }
    state.nextSample = size + 262_144
    guard !budget.isExceeded else {
      throw Failure(.memoryExceeded, "the process has more than \(budget.total) bytes of private memory")
    }
  }

  private func sniff(_ state: inout State, isComplete: Bool) throws(Failure) {
    let available = state.file?.size ?? 0
    guard state.format == nil, isComplete || available >= state.needs else { return }
    let examination = sniffer.examine(available: available, isComplete: isComplete) { offset, buffer in
      state.file?.read(at: offset, into: &buffer) ?? 0
    }
    switch examination {
    case .accepted(let format): state.format = format
    case .rejected(let name): throw Failure(.typeUnsupported, "the bytes are \(name)")
    case .undecided(let needs): state.needs = needs
    }
  }

  private func checkSize(_ state: inout State) throws(Failure) {
    guard let format = state.format else { return }
    let maximum = limits[format.family]
    let size = max(state.file?.size ?? 0, state.announced ?? 0)
    guard size > maximum else { return }
    throw Failure(
      .bodyTooLarge,
      "\(format.displayName) of \(state.announced.map { "\($0)" } ?? "more than \(maximum)") bytes: \(format.family) may have \(maximum)"
    )
  }
}
