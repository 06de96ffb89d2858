internal import COpenSSL
internal import Glibc
internal import Synchronization

/// Memory for keys: wiped when freed, never paged out, never in a core dump.
///
/// Small keys share pages, because the kernel locks whole pages and often only 64 KB in all
/// (`RLIMIT_MEMLOCK`), enough for 1,024 keys. Does not use OpenSSL's secure heap: once that is
/// full, TLS handshakes fail too.
enum SecretMemory {
  /// The size of a slot in bytes. A larger key gets its own pages.
  private static let slot = 64
  private static let slotsOfRegion = 256

  /// Addresses of free slots. A slot is either here or owned by one `Secret`.
  private static let pool = Mutex((free: [UInt](), isLocked: true))

  /// Whether the kernel has locked all of this memory so far.
  static var isLocked: Bool { pool.withLock { $0.isLocked } }

  static func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
    guard count <= slot else { return unsafe map(count) }
    if let free = pool.withLock({ $0.free.popLast() }) {
      return unsafe UnsafeMutableRawPointer(bitPattern: free)
    }
    guard let region = unsafe map(slot * slotsOfRegion) else { return nil }
    let others = (1..<slotsOfRegion).map { UInt(bitPattern: region) + UInt($0 * slot) }
    pool.withLock { $0.free += others }
    return unsafe region
  }

  static func deallocate(_ start: UnsafeMutableRawPointer, _ count: Int) {
    unsafe OPENSSL_cleanse(start, count)
    let address = UInt(bitPattern: start)
    if count > slot { unsafe munmap(start, count) } else { pool.withLock { $0.free.append(address) } }
  }

  private static func map(_ count: Int) -> UnsafeMutableRawPointer? {
    let start = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else { return nil }
    if unsafe mlock(start, count) != 0 { pool.withLock { $0.isLocked = false } }
    // Fails only on kernels before 3.4.
    _ = unsafe madvise(start, count, MADV_DONTDUMP)
    return unsafe start
  }
}

extension [UInt8] {
  /// Overwrites plaintext or a key file that was read whole. Drop all copies of the array first.
  package mutating func wipe() {
    unsafe withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
  }
}
