internal import Synchronization

/// Records what a fetch has done and what it is waiting for.
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
    /// Bytes received of the current body. `announced` is its Content-Length.
    package var received = 0
    package var announced: Int?

    package init() {}
  }

  private let recordsPaths: Bool
  private let state = Mutex(State())

  package init(recordsPaths: Bool = true) { self.recordsPaths = recordsPaths }

  package var snapshot: State { state.withLock { $0 } }
  func name(of url: RemoteURL) -> String { recordsPaths ? url.beginning : url.origin.description }
  /// A Location that may not be a URL. 15 bytes fit into the string itself, so redirects to nonsense take no
  /// more memory, even for all 24 media of 64 payloads.
  func name(ofRefused location: String) -> String { location.beginning(recordsPaths ? 200 : 15) }
  func update(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

  func append(_ hop: Hop) {
    state.withLock { state in
      var hop = hop
      // Consecutive hops often have the same URL and address: their strings are stored once.
      if let last = state.hops.last {
        if last.url == hop.url { hop.url = last.url }
        if last.address == hop.address { hop.address = last.address }
      }
      state.hops.append(hop)
    }
  }
}

/// One request and its response, as reported. Its strings are short no matter what servers send: a
/// payload can have 24 media with 12 hops each.
package struct Hop: Sendable, Equatable {
  /// `RemoteURL.beginning`, or only the origin if the journal does not record paths.
  package fileprivate(set) var url: String
  package let attempt: Int
  /// `ADDRESS:PORT`; nil if it never connected.
  package var address: String?
  package var status: Int?
  package var timings = Timings()
  package var received = 0
  package var error: FetchError?

  /// Microseconds from the start of the hop to the end of each step; nil if it was not reached.
  package struct Timings: Sendable, Equatable {
    @InFourBytes package var dns: Int?
    @InFourBytes package var connect: Int?
    @InFourBytes package var tls: Int?
    @InFourBytes package var firstByte: Int?
    package var total = 0
  }

  /// Holds up to half an hour in microseconds, in a quarter of the memory of an `Int?`.
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
