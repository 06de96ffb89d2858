internal import CCurl
internal import Fetching
internal import Supporting

/// Drives all exchanges on one thread. It is separate from the thread of downloads, because it reads spools,
/// and a disk may hang.
final class ExchangeLoop {
  /// Connections in addition to those of the busiest server, so that its uploads do not hold up new
  /// credentials.
  private static let spare = 4

  private struct Server: Hashable {
    let isSecure: Bool
    let host: String
    let port: Int

    init(_ url: ServiceURL) { (isSecure, host, port) = (url.isSecure, url.host, url.port) }
  }

  let inbox: Inbox
  private let maximum: Int
  private let context: TransferContext
  private let sockets: SocketWatch
  /// Nil until the first request, and again after a while without requests, which closes all connections.
  private var multi: CurlMulti?
  private var waiting: [Exchange] = []
  /// Whether a waiting exchange may begin, because it is new or another one has ended.
  private var hasRoom = false
  private var transfers: [ObjectIdentifier: Transfer] = [:]
  private var counts: [Server: Int] = [:]
  private var idleEnd: ContinuousClock.Instant?

  init(
    connections maximum: Int, certificateFile: String?, idleTime: Duration
  ) throws(FetchError) {
    self.maximum = maximum
    do throws(NoDescriptor) {
      (inbox, sockets) = (try Inbox(), try SocketWatch())
    } catch {
      throw .openFilesExhausted
    }
    context = TransferContext(Connections(sockets), certificateFile: certificateFile, idleTime: idleTime)
    guard sockets.watch(inbox.descriptor, reads: true, writes: false) else {
      throw .resourcesExhausted(detail: "no memory to wait for sockets")
    }
  }

  func run() {
    while true {
      let (messages, isClosed) = inbox.take()
      if isClosed { return }
      for message in messages {
        switch message {
        case .begin(let exchange):
          waiting.append(exchange)
          exchange.enter(.waiting)
          hasRoom = true
        case .giveUp(let exchange): giveUp(exchange)
        }
      }
      multi?.act(at: .now)
      collectEnded()
      beginWaiting()
      closeIdle(at: .now)
      wait()
    }
  }

  private func beginWaiting() {
    guard hasRoom else { return }
    hasRoom = false
    waiting = waiting.filter { exchange in
      // Its time may have run out while something held this thread up.
      if exchange.hasEnded { return false }
      let server = Server(exchange.request.url)
      guard counts[server, default: 0] < maximum else { return true }
      do throws(FetchError) {
        try begin(exchange)
      } catch {
        exchange.end(.failure(.lacking(error, for: exchange.request.url)))
      }
      return false
    }
  }

  private func begin(_ exchange: Exchange, isAgain: Bool = false) throws(FetchError) {
    let multi = try openMulti()
    let transfer = try Transfer(exchange, in: context)
    if isAgain { try transfer.easy.set(CURLOPT_FRESH_CONNECT, 1) }
    guard multi.add(transfer.easy) else { throw .resourcesExhausted(detail: "libcurl takes no more") }
    transfers[ObjectIdentifier(exchange)] = transfer
    counts[Server(exchange.request.url), default: 0] += 1
  }

  private func openMulti() throws(FetchError) -> CurlMulti {
    if let multi { return multi }
    let new = try CurlMulti(context.connections, maximum: maximum + Self.spare, lifetime: .max)
    multi = new
    return new
  }

  private func giveUp(_ exchange: Exchange) {
    waiting.removeAll { $0 === exchange }
    if let transfer = transfers[ObjectIdentifier(exchange)] { remove(transfer) }
  }

  private func collectEnded() {
    while let (owner, code) = unsafe multi?.nextEnded() {
      let transfer = unsafe Transfer.of(owner)
      let result = transfer.result(code)
      context.renewTrust(after: code)
      remove(transfer)
      do throws(FetchError) {
        if case .failure = result, transfer.mayBeStale(code) {
          try begin(transfer.exchange, isAgain: true)
        } else {
          transfer.exchange.end(result)
        }
      } catch {
        transfer.exchange.end(result)
      }
    }
  }

  private func remove(_ transfer: Transfer) {
    transfers[ObjectIdentifier(transfer.exchange)] = nil
    let server = Server(transfer.exchange.request.url)
    counts[server] = counts[server].flatMap { $0 > 1 ? $0 - 1 : nil }
    multi?.remove(transfer.easy)
    idleEnd = .now + context.idleTime
    hasRoom = true
  }

  private func closeIdle(at now: ContinuousClock.Instant) {
    guard transfers.isEmpty, let idleEnd, idleEnd <= now else { return }
    multi = nil
    self.idleEnd = nil
  }

  private func wait() {
    let idleEnd = transfers.isEmpty ? idleEnd : nil
    let due = [multi?.due, idleEnd].lazy.compactMap(\.self).min()
    let time = due.map { max(0, ContinuousClock.now.duration(to: $0).microseconds + 999) / 1_000 } ?? -1
    for event in sockets.wait(Int32(clamping: time)) {
      if event.descriptor == inbox.descriptor { continue }
      if context.connections.acknowledge(event.descriptor) { multi?.act(on: event) }
    }
  }
}
