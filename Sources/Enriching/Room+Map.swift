extension Room {
  /// What `body` makes of each element, as many at once as there is room for; nil for what it made nothing of, or was not asked about.
  ///
  /// - Parameter stopsAtNil: whether the first nil ends it all: what is under way then is cancelled.
  func map<Element: Sendable, Value: Sendable>(
    _ elements: [Element], stopsAtNil: Bool, _ body: @escaping @Sendable (Element) async -> Value?
  ) async -> [Value?] {
    let width = widen(to: elements.count)
    if width > 1 { return await map(elements, atOnce: width, stopsAtNil: stopsAtNil, body) }
    // Without the tasks of a group, which take 6 KB.
    var values = [Value?](repeating: nil, count: elements.count)
    for (index, element) in elements.enumerated() where !Task.isCancelled {
      values[index] = await body(element)
      if values[index] == nil, stopsAtNil { break }
    }
    return values
  }

  private func map<Element: Sendable, Value: Sendable>(
    _ elements: [Element], atOnce width: Int, stopsAtNil: Bool,
    _ body: @escaping @Sendable (Element) async -> Value?
  ) async -> [Value?] {
    var values = [Value?](repeating: nil, count: elements.count)
    var rest = elements.indices
    await withTaskGroup(of: (Int, Value?).self) { group in
      func addNext() {
        guard let index = rest.popFirst() else { return narrow() }
        _ = group.addTaskUnlessCancelled { (index, await body(elements[index])) }
      }
      for _ in 0..<width { addNext() }
      for await (index, value) in group {
        values[index] = value
        if value == nil, stopsAtNil { group.cancelAll() }
        addNext()
      }
    }
    return values
  }
}
