/// Limits how many programs run at once. The tests of this target would start hundreds together,
/// and a deadline of two seconds is useless if a program gets no processor for three.
actor Turns {
  static let shared = Turns(count: 4)

  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  private init(count: Int) { free = count }

  nonisolated func take<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
    await begin()
    do {
      let value = try await body()
      await end()
      return value
    } catch {
      await end()
      throw error
    }
  }

  private func begin() async {
    guard free == 0 else {
      free -= 1
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  private func end() {
    guard waiting.isEmpty else { return waiting.removeFirst().resume() }
    free += 1
  }
}
