internal import Fetching

extension PlaceReservation {
  /// Calls `body` for each element in order. Runs as many calls at once as there are free places.
  /// - Parameter body: returns whether to go on. If it returns false, running calls are cancelled.
  @inline(never)  // see `TaskPool`
  func forEach<Element: Sendable>(
    _ elements: [Element], _ body: @escaping @Sendable (Element) async -> Bool
  ) async {
    let width = grow(to: elements.count)
    if width > 1 { return await forEach(elements, atOnce: width, body) }
    // A task group would take 6 KB.
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
