extension SlotReservation {
  /// Calls `body` with each element, in their order, with as many at once as there are free slots.
  ///
  /// - Parameter body: returns whether to go on. If not, that ends it all: calls that are under way are cancelled.
  // Neither this nor what it calls is inlined: the group would take 3 KB of each payload's frame on the heap,
  // and most payloads have one medium.
  @inline(never)
  func forEach<Element: Sendable>(
    _ elements: [Element], _ body: @escaping @Sendable (Element) async -> Bool
  ) async {
    let width = grow(to: elements.count)
    if width > 1 { return await forEach(elements, atOnce: width, body) }
    // Without the tasks of a group, which take 6 KB.
    for element in elements where !Task.isCancelled {
      guard await body(element) else { break }
    }
  }

  @inline(never)
  private func forEach<Element: Sendable>(
    _ elements: [Element], atOnce width: Int, _ body: @escaping @Sendable (Element) async -> Bool
  ) async {
    var rest = elements[...]
    await withTaskGroup(of: Bool.self) { group in
      func addNext() {
        guard let element = rest.popFirst() else { return releaseOne() }
        _ = group.addTaskUnlessCancelled { await body(element) }
      }
      for _ in 0..<width { addNext() }
      for await goesOn in group {
        if !goesOn { group.cancelAll() }
        addNext()
      }
    }
  }
}
