/// An input of libFuzzer, in the form that the code under test takes.
struct Input {
  let bytes: [UInt8]

  init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
    bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Ends the run with a finding if `isFine` is false.
  static func require(_ isFine: Bool, _ what: StaticString) {
    // libFuzzer recognizes a trap, and keeps the input.
    if !isFine { fatalError("\(what)") }
  }
}
