/// The headers of one response, against what they may have: those that were taken line by line, and those
/// that libcurl keeps to itself.
struct HeaderCount: ~Copyable {
  /// What a shorter line counts for, in bytes: libcurl keeps a record of each.
  private static let minimumLineSize = 64

  /// In bytes.
  private let maximum: Int
  private let allowance: HeaderAllowance
  /// Of lines that were taken.
  private(set) var lineBytes = 0
  /// Since the request, until the head is complete; with TLS those of its records.
  private var answerBytes = 0
  /// As far as libcurl is known to hold them: what `allowance` knows of.
  private var heldBytes = 0

  init(maximum: Int, allowance: HeaderAllowance) {
    self.maximum = maximum
    self.allowance = allowance
  }

  deinit { allowance.giveBack(heldBytes) }

  /// Another line, of `count` bytes.
  /// - Throws: `FetchError.headersTooLarge`, and `.resourcesExhausted` where those of others leave no room.
  mutating func take(line count: Int) throws(FetchError) {
    let size = max(count, Self.minimumLineSize)
    try check(lineBytes + size)
    lineBytes += size
    try hold(lineBytes)
  }

  /// A record of `count` bytes is to be read, and those before it were still the head.
  /// - Throws: as `take(line:)`.
  mutating func take(record count: Int) throws(FetchError) {
    try check(answerBytes)
    try hold(answerBytes)
    answerBytes += count
  }

  /// `count` bytes of the answer were read, all of them of the head.
  /// - Throws: as `take(line:)`.
  mutating func note(read count: Int) throws(FetchError) {
    answerBytes = count
    try check(answerBytes)
    try hold(answerBytes)
  }

  private func check(_ size: Int) throws(FetchError) {
    guard size <= maximum else { throw .headersTooLarge(maximum: maximum) }
  }

  private mutating func hold(_ size: Int) throws(FetchError) {
    guard size > heldBytes else { return }
    guard allowance.take(size - heldBytes, behind: heldBytes) else {
      throw .resourcesExhausted(detail: "too many answers with long headers came at once")
    }
    heldBytes = size
  }
}
