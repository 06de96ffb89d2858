internal import Synchronization

/// What a fetch has done so far, and is waiting for.
package final class FetchJournal: Sendable {
  package enum Phase: String, Sendable {
    case queued = "a free transfer"
    case awaitingPermit = "its host, which others wait for as well"
    case resolving = "the name server"
    case connecting = "the connection"
    case answering = "the server's answer"
    case receiving = "the rest of the body"
    case pausing = "the next try"
    case done = "nothing"
  }

  package struct State: Sendable {
    package var hops: [Hop] = []
    package var phase = Phase.queued
    /// Of the body that is being received, in bytes.
    package var received = 0
    /// The Content-Length of that body, in bytes; nil if the server did not say.
    package var announced: Int?

    package init() {}
  }

  private let recordsPaths: Bool
  private let state = Mutex(State())

  package init(recordsPaths: Bool = true) { self.recordsPaths = recordsPaths }

  package var snapshot: State { state.withLock { $0 } }

  func name(of url: RemoteURL) -> String { recordsPaths ? url.beginning : url.origin.description }

  func update(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

  func append(_ hop: Hop) {
    state.withLock { state in
      var hop = hop
      // Most hops go to the same host: its names are kept once.
      if let last = state.hops.last {
        if last.url == hop.url { hop.url = last.url }
        if last.address == hop.address { hop.address = last.address }
      }
      state.hops.append(hop)
    }
  }
}

/// One request and its answer: a redirect or a retry makes another.
/// Short whatever the server sends: a payload may have 24 media with 12 hops each, and keeps them to its end.
package struct Hop: Sendable, Equatable {
  /// `RemoteURL.beginning`, or the origin alone.
  package fileprivate(set) var url: String
  package let attempt: Int
  /// Where it connected to, `ADDRESS:PORT`; nil if it never did.
  package var address: String?
  package var status: Int?
  package var timings = Timings()
  /// Of the body, in bytes.
  package var received = 0
  package var error: FetchError?

  /// Microseconds from the start of the hop until each step was done; nil for what was not reached.
  package struct Timings: Sendable, Equatable {
    @InFourBytes package var dns: Int?
    @InFourBytes package var connect: Int?
    @InFourBytes package var tls: Int?
    @InFourBytes package var firstByte: Int?
    package var total = 0
  }

  /// Microseconds, up to half an hour of them, in a quarter of the memory of an `Int?`.
  @propertyWrapper
  package struct InFourBytes: Sendable, Equatable {
    private var stored: Int32 = -1

    package init() {}

    package var wrappedValue: Int? {
      get { stored < 0 ? nil : Int(stored) }
      set { stored = newValue.map { Int32(clamping: max(0, $0)) } ?? -1 }
    }
  }
}
