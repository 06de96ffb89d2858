/// What libFuzzer tries, as the code under test takes it.
struct Input {
  let bytes: [UInt8]

  init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
    bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Ends the run with a finding.
  static func require(_ isFine: Bool, _ what: StaticString) {
    // libFuzzer knows a trap for what it is, and keeps the input.
    if !isFine { fatalError("\(what)") }
  }
}
