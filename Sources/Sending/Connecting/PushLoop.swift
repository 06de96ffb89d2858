internal import Dispatch
internal import Glibc
internal import Queueing
internal import Supporting

/// Messages to the loop.
typealias PushInbox = Mailbox<PushLoopMessage, Void>

enum PushLoopMessage: Sendable {
  case send(PushBatch)
  case cancel(PushBatch)
  case stop
  case resolved(_ connection: Int, HostLookup.Addresses)
}

/// Sends pushes on its own thread. The thread ends with this object.
final class PushLoop: Sendable {
  private let inbox: PushInbox
  let credentials: Credentials
  let tally = SendingTally()

  init(_ target: PushTarget, _ credentials: Credentials, _ times: PushTimes) throws(QueueError) {
    let (inbox, tally, sockets): (PushInbox, SendingTally, SocketWatch)
    tally = self.tally
    do throws(NoDescriptor) {
      (inbox, sockets) = (try PushInbox(), try SocketWatch())
    } catch {
      throw .unavailable("no more files can be opened: raise the limit (ulimit -n)")
    }
    (self.inbox, self.credentials) = (inbox, credentials)
    sockets.watch(inbox.descriptor, reads: true, writes: false)
    // From here on, only the new thread uses it.
    nonisolated(unsafe) let handed = sockets
    DispatchQueue(label: "push-enricher.apns").async {
      unsafe Self.run(PushPool(target, credentials, times, tally, handed, inbox), inbox)
    }
  }

  deinit { inbox.close(()) }

  /// Returns an outcome for each push of the batch.
  func send(_ batch: PushBatch) async -> [PushOutcome?] {
    await withTaskCancellationHandler {
      await batch.outcomes { inbox.send(.send(batch)) }
    } onCancel: {
      batch.cancel()
      inbox.send(.cancel(batch))
    }
  }

  /// Stops sending. See `StoppableSink`.
  func stop() { inbox.send(.stop) }

  private static func run(_ pool: PushPool, _ inbox: PushInbox) {
    // Otherwise, writing to a connection that was reset would end the process.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let (messages, isClosed) = inbox.take()
      let now = MonotonicTime.now
      for message in messages {
        switch message {
        case .send(let batch): pool.add(batch, at: now)
        case .cancel(let batch): pool.cancel(batch, at: now)
        case .stop: pool.stop(at: now)
        case .resolved(let id, let addresses): pool.take(addresses, for: id, at: now)
        }
      }
      if isClosed { break }
      pool.act(at: now)
      let ready = pool.sockets.wait(wait(pool))
      let later = MonotonicTime.now
      for connection in pool.connections
      where connection.hasUnread || ready.contains(where: { $0.descriptor == connection.descriptor }) {
        connection.act(&buffer, at: later)
      }
    }
    pool.close()
  }

  private static func wait(_ pool: PushPool) -> Int32 {
    // If a push ended in this turn, the next push to its device can go at once.
    if pool.hasMore { return 0 }
    let now = MonotonicTime.now
    guard let due = pool.due(at: now) else { return -1 }
    return Int32(clamping: max(0, (due - now).microseconds + 999) / 1_000)
  }
}
