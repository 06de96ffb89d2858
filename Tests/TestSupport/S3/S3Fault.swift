/// A way in which an `S3Server` mistreats a valid request.
package enum S3Fault: Equatable, Sendable {
  /// Reads the request, does nothing, and refuses it.
  case refuses(S3Refusal)
  /// Refuses without reading the body, and closes the connection once the client has closed it.
  case refusesEarly(S3Refusal)
  /// Reads the request, does nothing, and sends this.
  case answers(ServiceAnswer)

  /// Reads the request, and never answers.
  case hangs
  /// Reads this many bytes of the body, and then nothing.
  case hangsInBody(after: Int)
  /// Does what it is asked, and never sends the second half of the answer.
  case hangsInAnswer
  /// Does what it is asked, and closes the connection in the middle of the answer.
  case cutsAnswer
  /// Does what it is asked, and resets the connection before the answer.
  case resets
  /// Resets the connection after this many bytes of the body.
  case resetsInBody(after: Int)

  /// Does what it is asked once the latch is open.
  case waits(Latch)
  /// Does what it is asked after a while.
  case isLate(by: Duration)
  /// Reads the body this slowly, in bytes a second, and does what it is asked.
  case readsSlowly(Int)

  /// An answer whose body is not XML, although its type says so, with the status of an error.
  package static let garbageXML = answers(
    ServiceAnswer("<Error><Code>Slow\u{0}Down<<</Code", as: "application/xml", status: 503))
  /// A well-formed error of 4 MB.
  package static let hugeXML = refuses(
    S3Refusal(500, "InternalError", String(repeating: "Again! ", count: 600_000)))
}

/// A fault, and the requests that meet it.
struct PlannedFault {
  let fault: S3Fault
  /// The methods of these requests; nil for all.
  let methods: Set<String>?
  /// How many more requests meet the fault; nil for all.
  var remaining: Int?
  /// When the fault ends; nil for never.
  let end: ContinuousClock.Instant?

  func meets(_ method: String) -> Bool {
    methods?.contains(method) != false && remaining != 0 && (end.map { ContinuousClock.now < $0 } ?? true)
  }
}
