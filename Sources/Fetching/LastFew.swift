/// The last few values of many: most requests go where one before them went, or where that was redirected.
struct LastFew<Value> {
  private static var maximum: Int { 4 }

  /// The newest last.
  private var values: [Value] = []

  mutating func append(_ value: Value) {
    if values.count == Self.maximum { values.removeFirst() }
    values.append(value)
  }

  /// The newest that `isWanted`.
  func last(where isWanted: (Value) -> Bool) -> Value? { values.last(where: isWanted) }
}
