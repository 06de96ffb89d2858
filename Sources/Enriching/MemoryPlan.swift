internal import Fetching

/// How the process's memory is shared out: the number of transfers at once, and whether they use HTTP/2.
struct MemoryPlan {
  /// Private memory before the first transfer, in bytes: the program, its queue, and what transfers share.
  /// Payloads with many media take up to 2 MB more: transfers begin later then.
  static let process = 3_100_000
  /// Peak private memory of one transfer over TLS and HTTP/1.1 with its payload, without its receive buffer,
  /// in bytes. 115 KB were measured with 64 that begin at once.
  static let transfer = 118_000
  /// What a handshake under way will still take, in bytes: 90 KB if it has just begun, 20 KB later.
  static let handshake = 60_000
  /// What HTTP/2 takes in addition, in bytes: 25 KB each in libcurl and nghttp2, and up to 128 KB of headers.
  /// 250 KB in all were measured for a transfer if all servers send that much.
  static let multiplexing = 120_000
  /// What a cache takes, in bytes, measured with 64 payloads at once.
  private static let caching = 1_200_000
  /// What decrypting takes of each transfer, in bytes: a buffer or two of plaintext, and OpenSSL's contexts.
  private static let decrypting = 40_000

  /// Transfers, and connections, at once.
  private(set) var slots: Int
  let offersHTTP2: Bool

  /// - Parameter buffer: what a transfer takes for receiving, in bytes.
  init(total: Int, buffer: Int, concurrency: Int, hasCache: Bool = false, hasKeys: Bool = false) {
    let available = max(0, Self.available(of: total) - Self.process)
    let each = Self.transfer + buffer
    let eachWithKeys = each + (hasKeys ? Self.decrypting : 0)
    let besideCache = max(0, available - (hasCache ? Self.caching : 0))
    offersHTTP2 = besideCache / (eachWithKeys + Self.multiplexing) >= concurrency
    let certain = besideCache / eachWithKeys
    // The transfers that never wait have room for all that. The others begin later if memory is short.
    let planned = certain < FetchSettings.leastTransfers ? certain : available / each
    slots = offersHTTP2 ? concurrency : min(concurrency, planned)
  }

  /// The part of `total` bytes to share out. The rest is left to fragmentation of the heap.
  static func available(of total: Int) -> Int { total - total / 16 }
  /// Lowers the transfers to those that something else than memory allows.
  mutating func limit(to slots: Int) { self.slots = min(self.slots, slots) }
}
