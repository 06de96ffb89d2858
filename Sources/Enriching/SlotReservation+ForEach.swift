extension SlotReservation {
  /// Calls `body` with each element, in their order, with as many at once as there are free slots.
  ///
  /// - Parameters:
  ///   - stopOnFailure: asked after a failure whether that ends it all: calls that are under way are cancelled.
  ///   - body: returns whether it did what it should.
  // Neither this nor what it calls is inlined: the group would take 3 KB of each payload's frame on the heap,
  // and most payloads have one medium.
  @inline(never)
  func forEach<Element: Sendable>(
    _ elements: [Element], stopOnFailure: @Sendable () -> Bool,
    _ body: @escaping @Sendable (Element) async -> Bool
  ) async {
    let width = grow(to: elements.count)
    if width > 1 { return await forEach(elements, atOnce: width, stopOnFailure: stopOnFailure, body) }
    // Without the tasks of a group, which take 6 KB.
    for element in elements where !Task.isCancelled {
      if await !body(element), stopOnFailure() { break }
    }
  }

  @inline(never)
  private func forEach<Element: Sendable>(
    _ elements: [Element], atOnce width: Int, stopOnFailure: @Sendable () -> Bool,
    _ body: @escaping @Sendable (Element) async -> Bool
  ) async {
    var rest = elements[...]
    await withTaskGroup(of: Bool.self) { group in
      func addNext() {
        guard let element = rest.popFirst() else { return releaseOne() }
        _ = group.addTaskUnlessCancelled { await body(element) }
      }
      for _ in 0..<width { addNext() }
      for await isDone in group {
        if !isDone, stopOnFailure() { group.cancelAll() }
        addNext()
      }
    }
  }
}
