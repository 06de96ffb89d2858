/// libcurl's sockets, among those that the loop waits for.
///
/// A connection that no transfer uses is watched still: mostly the next one takes it up at once, and to leave
/// and to come back would be two calls of the kernel for each.
final class ConnectionSockets {
  private enum Use {
    /// libcurl waits for something to read.
    case reading
    /// libcurl waits for nothing. If there is something to read all the same, it is not watched any more.
    case idle
  }

  private let watch: SocketWatch
  let connections = Connections()
  /// By descriptors. The rest is watched as libcurl says. Some are closed meanwhile: `opened` knows which.
  private var uses: [Int32: Use] = [:]
  /// How many were opened so far.
  private(set) var openedCount = 0

  init(_ watch: SocketWatch) { self.watch = watch }

  /// A new one is opened, for libcurl to use. Whatever had its number before is closed, and not watched.
  @discardableResult
  func opened(_ descriptor: Int32) -> Connection {
    uses[descriptor] = nil
    openedCount += 1
    return connections.add(descriptor)
  }

  /// libcurl waits for what is to be read or written from now on, or for neither.
  func wait(for descriptor: Int32, reads: Bool, writes: Bool) {
    let use = uses[descriptor]
    switch (reads, writes) {
    case (true, false) where use == .idle: uses[descriptor] = .reading
    case (false, false) where use == .reading: uses[descriptor] = .idle
    default:
      let isWatched = watch.watch(descriptor, reads: reads, writes: writes)
      uses[descriptor] = isWatched && reads && !writes ? .reading : nil
    }
  }

  /// Something has happened to it. A connection that rests is ended if nothing may come on it.
  /// - Returns: whether libcurl waits for that.
  func acknowledge(_ descriptor: Int32) -> Bool {
    guard uses[descriptor] == .idle else { return true }
    uses[descriptor] = nil
    watch.watch(descriptor, reads: false, writes: false)
    connections.endIdle(descriptor)
    return false
  }
}
