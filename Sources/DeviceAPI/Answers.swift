internal import PushQueueing
internal import Serving

/// All answers of the device API, except those of `Serving` to requests that no route takes.
extension Response {
  init(_ answer: MissedAnswer) {
    self =
      switch answer {
      case .resending(let resending, let rejected, let expired, let superseded, let holes):
        .json(
          202,
          #"{"resending":\#(resending),"rejected":\#(rejected),"expired":\#(expired),"superseded":\#(superseded),\#(holes.members)}"#
        )
      case .nothing: .done
      case .unknownDevice: .unknownDevice
      case .otherEpoch: .otherEpoch
      case .tooMany: .text(413, "at most \(PushQueueLimits.missed) pushes can be asked for at once")
      case .tooSoon(let wait): .tooSoon(wait)
      }
  }

  init(_ answer: ReceiptAnswer) {
    self =
      switch answer {
      case .noted(let holes): holes.isEmpty ? .done : .json(200, "{\(holes.members)}")
      case .unknownDevice: .unknownDevice
      case .otherEpoch: .otherEpoch
      case .tooSoon(let wait): .tooSoon(wait)
      }
  }

  static func malformed(_ fault: BodyFault) -> Response { text(400, "the body: \(fault.text)") }
  /// Also the answer for an unknown device.
  static let foreign = text(
    401, "send the ticket of this push: Authorization: Bearer …", [("WWW-Authenticate", "Bearer")])
  static let crowded = text(503, "too many requests are being worked on: try again", [("Retry-After", "1")])
  static let unavailable = text(503, "the push queue does not answer: try again", [("Retry-After", "10")])

  /// - Parameter wait: in milliseconds.
  static func tooSoon(_ wait: Int64) -> Response {
    text(429, "too often: try again later", [("Retry-After", "\((max(1, wait) - 1) / 1_000 + 1)")])
  }

  private static let done = Response(status: 204)
  private static let unknownDevice = text(404, "the device is not known, or no longer")
  private static let otherEpoch = text(
    409, "the pushes of the device are numbered anew: take the next push’s")

  private static func json(_ status: Int, _ text: String) -> Response {
    Response(status: status, Array(text.utf8), as: "application/json")
  }

  private static func text(
    _ status: Int, _ text: String, _ fields: [(name: String, value: String)] = []
  ) -> Response {
    Response(status: status, Array("\(text)\n".utf8), as: "text/plain; charset=utf-8", fields: fields)
  }
}

extension Holes {
  fileprivate var members: String { #""gone":\#(gone),"replaced":\#(superseded)"# }
}
