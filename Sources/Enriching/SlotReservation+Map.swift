extension SlotReservation {
  /// Calls `body` with each element, with as many at once as there are free slots.
  ///
  /// - Parameter stopOnNil: whether the first nil ends it all: calls that are under way are cancelled.
  /// - Returns: what `body` returned, in the order of `elements`; nil also for elements it was not called
  ///   with.
  func concurrentMap<Element: Sendable, Value: Sendable>(
    _ elements: [Element], stopOnNil: Bool, _ body: @escaping @Sendable (Element) async -> Value?
  ) async -> [Value?] {
    let width = grow(to: elements.count)
    if width > 1 { return await concurrentMap(elements, atOnce: width, stopOnNil: stopOnNil, body) }
    // Without the tasks of a group, which take 6 KB.
    var values = [Value?](repeating: nil, count: elements.count)
    for (index, element) in elements.enumerated() where !Task.isCancelled {
      values[index] = await body(element)
      if values[index] == nil, stopOnNil { break }
    }
    return values
  }

  private func concurrentMap<Element: Sendable, Value: Sendable>(
    _ elements: [Element], atOnce width: Int, stopOnNil: Bool,
    _ body: @escaping @Sendable (Element) async -> Value?
  ) async -> [Value?] {
    var values = [Value?](repeating: nil, count: elements.count)
    var rest = elements.indices
    await withTaskGroup(of: (Int, Value?).self) { group in
      func addNext() {
        guard let index = rest.popFirst() else { return releaseOne() }
        _ = group.addTaskUnlessCancelled { (index, await body(elements[index])) }
      }
      for _ in 0..<width { addNext() }
      for await (index, value) in group {
        values[index] = value
        if value == nil, stopOnNil { group.cancelAll() }
        addNext()
      }
    }
    return values
  }
}
