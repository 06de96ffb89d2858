/// Keeps the state of the push queue. Extensions of one app run in parallel, so each change is exclusive.
public protocol QueueStateStore: Sendable {
  /// Changes the state while nobody else can. Saves it before it returns.
  func update<Result: Sendable>(_ change: @Sendable (inout QueueState) -> Result) async throws -> Result
}

/// Keeps the state in memory, for tests and previews.
public actor MemoryStateStore: QueueStateStore {
  public private(set) var state: QueueState

  public init(_ state: QueueState = QueueState()) { self.state = state }

  public func update<Result: Sendable>(_ change: @Sendable (inout QueueState) -> Result) -> Result {
    change(&state)
  }
}
