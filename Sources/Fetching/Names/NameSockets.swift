/// The sockets of one name's questions, most often one for each name server.
final class NameSockets {
  private let sockets: SocketWatch
  private(set) var open: Set<Int32> = []

  init(_ sockets: SocketWatch) { self.sockets = sockets }

  /// - Parameter writes: neither this nor `reads` where it is about to be closed.
  func watch(_ descriptor: Int32, reads: Bool, writes: Bool) {
    if reads || writes { open.insert(descriptor) } else { open.remove(descriptor) }
    sockets.watch(descriptor, reads: reads, writes: writes)
  }
}
