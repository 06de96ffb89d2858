/// Of all responses under way: libcurl keeps each header line until its transfer ends.
final class HeaderAllowance {
  /// Bytes that each response has for itself, more than honest ones send.
  static let own = 8_192
  /// Bytes that responses with more than that share.
  static let shared = 262_144

  fileprivate var taken = 0
}

/// The headers of one response, with the bytes that libcurl keeps to itself, held against their limits.
struct HeaderBudget: ~Copyable {
  /// A shorter line counts as this many bytes: libcurl keeps a record of each.
  private static let minimumLineSize = 64

  private let maximum: Int
  private let allowance: HeaderAllowance
  /// Of lines that were taken.
  private(set) var lineBytes = 0
  /// Of TLS records since the request, until the head is complete.
  private var recordBytes = 0
  /// What it has taken of `allowance`.
  private var sharedBytes = 0

  init(maximum: Int, allowance: HeaderAllowance) {
    self.maximum = maximum
    self.allowance = allowance
  }

  deinit { allowance.taken -= sharedBytes }

  /// - Throws: `FetchError.headersTooLarge`; `.resourcesExhausted` if the headers of others leave no room.
  mutating func take(line count: Int) throws(FetchError) {
    lineBytes += max(count, Self.minimumLineSize)
    try hold(lineBytes)
  }

  mutating func take(record count: Int) throws(FetchError) {
    try hold(recordBytes)
    recordBytes += count
  }

  /// libcurl holds `size` bytes of the head.
  mutating func hold(_ size: Int) throws(FetchError) {
    guard size <= maximum else { throw .headersTooLarge(maximum: maximum) }
    let more = size - HeaderAllowance.own - sharedBytes
    guard more > 0 else { return }
    guard allowance.taken + more <= HeaderAllowance.shared else {
      throw .resourcesExhausted(detail: "too many answers with long headers came at once")
    }
    allowance.taken += more
    sharedBytes += more
  }
}
