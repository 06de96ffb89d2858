internal import CAres
internal import Glibc
internal import Supporting

final class NameSockets {
  /// The maximum bytes of all answers over TCP. Ninety addresses of each family take less. c-ares
  /// 1.18 (NameTests) accepts 64 KB at a time, and turns each alias of 14 bytes into 2 KB.
  static let maximumAnswers = 4_096

  private let sockets: SocketWatch
  private(set) var open: Set<Int32> = []
  private var received = 0

  init(_ sockets: SocketWatch) { self.sockets = sockets }

  static func of(_ pointer: UnsafeMutableRawPointer?) -> NameSockets? {
    unsafe pointer.map { unsafe Unmanaged.fromOpaque($0).takeUnretainedValue() }
  }

  var hasRefused: Bool { received > Self.maximumAnswers }

  func watch(_ descriptor: Int32, reads: Bool, writes: Bool) {
    if reads || writes { open.insert(descriptor) } else { open.remove(descriptor) }
    sockets.watch(descriptor, reads: reads, writes: writes)
  }

  /// c-ares 1.18 needs all of these or none. They do what its own functions do, and enforce
  /// `maximumAnswers`. `nonisolated(unsafe)`, because nothing writes to them after this.
  nonisolated(unsafe) static let functions = {
    let functions = UnsafeMutablePointer<ares_socket_functions>.allocate(capacity: 1)
    unsafe functions.initialize(
      to: ares_socket_functions(
        asocket: { family, type, transport, _ in cares_socket(family, type, transport) },
        aclose: { descriptor, _ in close(descriptor) },
        aconnect: { descriptor, address, length, _ in unsafe connect(descriptor, address, length) },
        arecvfrom: { descriptor, bytes, capacity, flags, address, length, sockets in
          let count = unsafe recvfrom(descriptor, bytes, capacity, flags, address, length)
          // If it has an address, it is a datagram of at most 512 bytes.
          guard count > 0, unsafe address == nil, let sockets = unsafe NameSockets.of(sockets) else {
            return count
          }
          sockets.received += count
          guard sockets.hasRefused else { return count }
          errno = EMSGSIZE
          return -1
        },
        asendv: { descriptor, parts, count, _ in unsafe writev(descriptor, parts, count) }))
    return unsafe UnsafePointer(functions)
  }()
}
