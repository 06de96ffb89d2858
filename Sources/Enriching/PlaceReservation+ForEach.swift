internal import Fetching

extension PlaceReservation {
  /// Calls `body` with each element, in their order, with as many at once as there are free places.
  /// - Parameter body: returns whether to go on. If not, calls that are under way are cancelled.
  @inline(never)  // see `TaskPool`
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
