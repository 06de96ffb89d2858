internal import Fetching

/// How the process's memory is divided: the number of transfers, and whether they use HTTP/2.
struct MemoryPlan {
  /// Private memory before the first transfer, in bytes: the program, its queue, and what transfers
  /// share. Payloads with many media take up to 2 MB more. In that case, transfers begin later.
  static let process = 3_100_000
  /// Peak private memory of one transfer over TLS and HTTP/1.1 with its payload, in bytes. Does not
  /// include its receive buffer. 115 KB were measured with 64 transfers that begin at once.
  static let transfer = 118_000
  /// What a running handshake still needs, in bytes: 90 KB if it has just begun, 20 KB later.
  static let handshake = 60_000
  /// What HTTP/2 adds, in bytes: 25 KB each in libcurl and nghttp2, and up to 128 KB of headers.
  /// 250 KB in all were measured per transfer if all servers send that much.
  static let multiplexing = 120_000
  /// What a cache takes, in bytes, measured with 64 payloads at once.
  private static let caching = 1_200_000
  /// What decrypting adds per transfer, in bytes: one or two plaintext buffers and OpenSSL
  /// contexts.
  private static let decrypting = 40_000

  /// How many transfers, and connections, there may be at once.
  private(set) var slots: Int
  let offersHTTP2: Bool

  /// - Parameters:
  ///   - buffer: the receive buffer of a transfer, in bytes.
  ///   - others: what else the process needs at its busiest, in bytes.
  init(
    total: Int, buffer: Int, concurrency: Int, hasCache: Bool = false, hasKeys: Bool = false,
    besides others: Int = 0
  ) {
    let available = max(0, Self.available(of: total) - Self.process)
    let each = Self.transfer + buffer
    let eachWithKeys = each + (hasKeys ? Self.decrypting : 0)
    let besideCache = max(0, available - others - (hasCache ? Self.caching : 0))
    offersHTTP2 = besideCache / (eachWithKeys + Self.multiplexing) >= concurrency
    let certain = besideCache / eachWithKeys
    // Transfers that never wait need room for all of this. Others begin later if memory is short.
    let planned = certain < FetchSettings.leastTransfers ? certain : available / each
    slots = offersHTTP2 ? concurrency : min(concurrency, planned)
  }

  /// The part of `total` bytes to divide. The rest is left to fragmentation of the heap.
  static func available(of total: Int) -> Int { total - total / 16 }
  /// Lowers the number of transfers to a limit other than memory.
  mutating func limit(to slots: Int) { self.slots = min(self.slots, slots) }
}
