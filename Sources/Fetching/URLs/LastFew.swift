/// The values that were last asked for: most requests go where one before them went, or where that was redirected.
struct LastFew<Value> {
  private static var maximum: Int { 8 }

  /// The newest last.
  private var values: [Value] = []

  /// - Returns: the newest that `isWanted`. It is the last to be dropped now.
  mutating func recall(_ isWanted: (Value) -> Bool) -> Value? {
    guard let index = values.lastIndex(where: isWanted) else { return nil }
    if index < values.count - 1 { values.append(values.remove(at: index)) }
    return values.last
  }

  mutating func append(_ value: Value) {
    if values.count == Self.maximum { values.removeFirst() }
    values.append(value)
  }
}
