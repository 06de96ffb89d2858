/// Thrown if a decision needs bytes that have not arrived: the body must be `end` bytes long.
struct Shortage: Error {
  let end: Int

  /// `end`, rounded up to a multiple of 4 KB. Otherwise a body that arrives in small pieces would cause many attempts.
  var roundedEnd: Int {
    let (sum, overflow) = end.addingReportingOverflow(Body.headSize - 1)
    return overflow ? .max : sum - sum % Body.headSize
  }
}

/// The part of a body that has arrived, read in small pieces.
///
/// Rules read as if the whole body were there. Nil means that the body is complete and ends before that offset.
/// `Shortage` ends the attempt. So a verdict depends on the bytes, not on how they arrived.
struct Body: ~Copyable {
  /// How many bytes libmagic and the text rule see.
  static let headSize = 4096
  let available: Int
  let isComplete: Bool
  /// What else the rule that names the format learns. A second walk would read the bytes again.
  var facts = MediaFacts()
  /// How many bytes are read at an offset past the head.
  var windowSize: Int
  private let read: (Int, inout MutableSpan<UInt8>) -> Int
  private var head = Window()
  private var window = Window()

  /// - Parameter windowSize: 32 bytes hold any header that rules jump to: a box, a frame, a tag.
  init(
    available: Int, isComplete: Bool, windowSize: Int = 32,
    read: @escaping (Int, inout MutableSpan<UInt8>) -> Int
  ) {
    self.available = available
    self.isComplete = isComplete
    self.windowSize = windowSize
    self.read = read
  }

  mutating func byte(at offset: Int) throws(Shortage) -> UInt8? {
    if let byte = head[offset] ?? window[offset] { return byte }
    guard try reaches(1, at: offset) else { return nil }
    if offset < Self.headSize {
      head = load(Self.headSize, at: 0)
    } else {
      window = load(windowSize, at: offset)
    }
    return head[offset] ?? window[offset]
  }

  /// Four bytes, most significant first.
  mutating func number(at offset: Int) throws(Shortage) -> UInt32? {
    if let number = head.number(at: offset) ?? window.number(at: offset) { return number }
    guard try reaches(4, at: offset) else { return nil }
    var number: UInt32 = 0
    for place in 0..<4 {
      guard let byte = try byte(at: offset + place) else { return nil }
      number = number << 8 | UInt32(byte)
    }
    return number
  }

  /// A type tag of RIFF, IFF and ISO media files: four characters, with `?` for unprintable ones.
  mutating func code(at offset: Int) throws(Shortage) -> String? {
    guard let number = try number(at: offset) else { return nil }
    // Four bytes are kept in the String itself. An array would be on the heap.
    return unsafe String(unsafeUninitializedCapacity: 4) { buffer in
      for place in 0..<4 {
        let byte = UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * place))
        unsafe buffer[place] = 0x20..<0x7f ~= byte ? byte : 0x3f
      }
      return 4
    }
  }

  /// Whether `pattern` is at `offset`. The first differing byte decides, even if few have arrived.
  mutating func has(_ pattern: some Collection<UInt8>, at offset: Int) throws(Shortage) -> Bool {
    guard offset <= Int.max - pattern.count else { return false }
    var place = offset
    for expected in pattern {
      guard try byte(at: place) == expected else { return false }
      place += 1
    }
    return true
  }

  /// - Parameter limit: where the search ends. A search without one begins again from `offset` whenever more bytes
  ///   arrive.
  mutating func firstIndex(
    of byte: UInt8, from offset: Int, before limit: Int = .max
  ) throws(Shortage) -> Int? {
    var offset = offset
    while offset < limit, try self.byte(at: offset) != nil {
      let piece = window[offset] != nil ? window : head
      let rest = piece.bytes[(offset - piece.start)...]
      if let index = rest.firstIndex(of: byte) {
        let place = piece.start + index
        return place < limit ? place : nil
      }
      offset += rest.count
    }
    return nil
  }

  /// The first 4 KB, or all of a shorter body.
  mutating func first4KB() throws(Shortage) -> [UInt8] {
    if !isComplete { _ = try reaches(Self.headSize, at: 0) }
    if head.bytes.isEmpty { head = load(Self.headSize, at: 0) }
    return head.bytes
  }

  /// Reads `count` bytes at once, or fewer at the end of the body. A search jumps back and forth, and would
  /// otherwise read a window each time.
  mutating func preload(_ count: Int, at offset: Int) throws(Shortage) {
    if !isComplete { _ = try reaches(count, at: offset) }
    if 0..<available ~= offset { window = load(count, at: offset) }
  }

  func reaches(_ count: Int, at offset: Int) throws(Shortage) -> Bool {
    let (end, isBeyondAnyFile) = offset.addingReportingOverflow(count)
    if offset < 0 || isBeyondAnyFile { return false }
    if end <= available { return true }
    if isComplete { return false }
    throw Shortage(end: end)
  }

  private func load(_ size: Int, at offset: Int) -> Window {
    let count = min(size, available - offset)
    // Zeroing the bytes first would cost as much as everything that is done with them.
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      var span = unsafe MutableSpan(_unsafeElements: buffer)
      // If the source gives less than it promised, it has failed. For the rules, the body ends here.
      initialized = min(max(read(offset, &span), 0), count)
    }
    return Window(start: offset, bytes: bytes)
  }
}

/// Bytes of a body that are in memory.
private struct Window {
  var start = 0
  var bytes: [UInt8] = []

  /// Four bytes, most significant first, if all are here.
  func number(at offset: Int) -> UInt32? {
    let place = offset - start
    guard offset >= start, place <= bytes.count - 4 else { return nil }
    return UInt32(bytes[place]) << 24 | UInt32(bytes[place + 1]) << 16 | UInt32(bytes[place + 2]) << 8
      | UInt32(bytes[place + 3])
  }

  subscript(offset: Int) -> UInt8? {
    offset >= start && offset - start < bytes.count ? bytes[offset - start] : nil
  }
}
