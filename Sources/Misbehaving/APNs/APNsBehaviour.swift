/// How a `MockAPNs` treats its clients: a row for each of APNs' habits and faults.
package struct APNsBehaviour: Sendable, CustomStringConvertible {
  package let name: String
  /// The concurrent streams that a connection is allowed before its first accepted push, and after it.
  package var firstStreams: UInt32 = 1
  package var streams: UInt32 = 1_000
  /// Whether a 4xx other than 410 brings the limit back to one stream until the next 200.
  package var narrows = true
  package var answersAfter: Duration = .zero
  /// If false, connections need a client certificate, and pushes need no provider token.
  package var wantsToken = true
  package var tokenLifetime: Duration = .seconds(3_600)
  /// The least time between two provider tokens.
  package var tokenInterval: Duration = .seconds(1_200)
  /// Reasons by device token, in addition to `APNsReason.deviceToken`.
  package var devices: [String: APNsReason] = [:]
  /// Answers by topic, such as for a key that is not valid for all topics of its team.
  package var answersByTopic: [String: APNsReason] = [:]
  /// One of this many pushes gets no answer, although the connection works. 0 means that each gets one.
  package var unanswered = 0
  /// The only topics that the device tokens belong to. Empty: any.
  package var topics: Set<String> = []
  /// The answers, in order, to pushes that have no other problem. Nil means 200, which is also the answer at the end.
  package var script: [APNsReason?] = []
  /// Whether the script starts again at its end.
  package var repeatsScript = false
  /// RST_STREAM frames that a connection may send at once, and then per second (CVE-2023-44487).
  package var resets = 1_000
  package var resetsPerSecond = 33
  /// The most bytes in a TLS record (RFC 8446 section 5.1).
  package var recordLength = 16_384
  package var fault: APNsFault?
  package var keepsBodies = false

  package init(_ name: String, fault: APNsFault? = nil) {
    self.name = name
    self.fault = fault
  }

  package var description: String { name }

  package static let healthy = APNsBehaviour("healthy")

  /// Answers each push that has no other problem with this reason.
  package static func always(_ reason: APNsReason) -> APNsBehaviour {
    var behaviour = APNsBehaviour("always-\(reason)")
    (behaviour.script, behaviour.repeatsScript) = ([reason], true)
    return behaviour
  }
}

/// What goes wrong on a connection, and when.
package struct APNsFault: Sendable {
  package enum Kind: Sendable {
    /// GOAWAY whose last stream is the one in the middle of those in flight. The ones up to it are answered,
    /// or the connection ends without their answers.
    case goAway(reason: APNsReason?, answersEarlier: Bool)
    /// A TCP reset.
    case reset
    /// The end of the connection without GOAWAY.
    case close
    /// Reads no more bytes.
    case readsNothing
    /// Goes on reading, but answers nothing, not even PING.
    case answersNothing
    /// Does not answer the pushes in flight, but answers PING and later pushes.
    case answersNoPush
    /// Opens no window, from the start of the connection.
    case shutsWindow
  }

  let kind: Kind
  /// How many pushes on the connection are answered before the fault.
  let answered: Int
  /// How many pushes are then in flight when it happens. If they do not come, it happens 200 ms after the first.
  let inFlight: Int
  /// How many connections have the fault. Later ones are healthy.
  let connections: Int

  package init(_ kind: Kind, after answered: Int = 10, inFlight: Int = 1, connections: Int = 1) {
    self.kind = kind
    self.answered = answered
    self.inFlight = inFlight
    self.connections = connections
  }
}

extension APNsBehaviour {
  /// Every fault of a connection. A client that sends again elsewhere loses no push to any of them.
  package static let faulty: [APNsBehaviour] = [
    APNsBehaviour("goaway", fault: APNsFault(.goAway(reason: nil, answersEarlier: true), inFlight: 100)),
    APNsBehaviour(
      "goaway-with-reason", fault: APNsFault(.goAway(reason: .Shutdown, answersEarlier: true), inFlight: 100)),
    APNsBehaviour(
      "goaway-unanswered", fault: APNsFault(.goAway(reason: nil, answersEarlier: false), inFlight: 100)),
    APNsBehaviour("reset", fault: APNsFault(.reset, inFlight: 100)),
    APNsBehaviour("close", fault: APNsFault(.close, inFlight: 100)),
    APNsBehaviour("reads-nothing", fault: APNsFault(.readsNothing)),
    APNsBehaviour("answers-nothing", fault: APNsFault(.answersNothing)),
    APNsBehaviour("answers-no-push", fault: APNsFault(.answersNoPush)),
    APNsBehaviour("window-shut", fault: APNsFault(.shutsWindow)),
  ]
}
