internal import Notifications
internal import Queueing
internal import Supporting

/// Whether the mark of the push queue can be put into a payload.
enum MarkRoom: Equatable {
  case free
  /// The payload already has a member with that name.
  case taken
  /// The push starts no app extension, which would count its position. The position would look like a gap.
  case none

  fileprivate init(_ type: PushType, _ aps: JSONValue, in payload: JSONValue) {
    guard type == .alert, aps["alert"]?.isShownAlert == true,
      aps["mutable-content"].map({ $0.number == 1 || $0.bool == true }) == true
    else {
      self = .none
      return
    }
    self = payload["q"] == nil ? .free : .taken
  }
}

/// Checks payloads before APNs sees them.
enum PushPayload {
  /// - Parameters:
  ///   - type: nil if neither the headers nor the topic say it.
  ///   - topic: needed for Wallet passes, whose payloads are empty.
  /// - Returns: the type of the push, and whether it can have a mark, which is `none` if pushes are not numbered.
  static func check(
    _ body: [UInt8], as type: PushType?, topic: String, isNumbered: Bool
  ) throws(Rejection) -> (type: PushType, mark: MarkRoom) {
    guard body.count <= (type ?? .voip).maximumPayloadSize else { throw tooLarge(body, type) }
    let payload: JSONValue
    do throws(JSONError) {
      payload = try JSONDocument(body).root
    } catch {
      throw body.isEmpty
        ? invalid("it is empty", "put a JSON object with aps into the queue")
        : invalid("it is not JSON: \(error)")
    }
    guard payload.kind == .object else { throw invalid("it is \(payload.kind.words)") }
    guard let aps = payload["aps"] else {
      if type?.isFreeForm == true, !isWrapped(body) { return (type ?? .voip, .none) }
      if topic.hasPrefix("pass."), Array(payload.members).isEmpty { return (type ?? .background, .none) }
      throw withoutAps(body)
    }
    guard aps.kind == .object else { throw invalid("its aps is \(aps.kind.words)") }
    let found = type ?? (isSilent(aps) ? .background : .alert)
    guard body.count <= found.maximumPayloadSize else { throw tooLarge(body, found) }
    return (found, isNumbered ? MarkRoom(found, aps, in: payload) : .none)
  }

  /// Whether it only wakes the app (Apple: *Pushing background updates to your app*).
  private static func isSilent(_ aps: JSONValue) -> Bool {
    let wakes = aps["content-available"].map { $0.number == 1 || $0.bool == true } == true
    return wakes && ["alert", "sound", "badge"].allSatisfy { aps.given($0) == nil }
  }

  /// Whether the payload is inside an envelope.
  private static func isWrapped(_ body: [UInt8]) -> Bool {
    (try? PushMessage(body))?.payloads.contains { $0.object["aps"] != nil } == true
  }

  private static func withoutAps(_ body: [UInt8]) -> Rejection {
    guard let message = try? PushMessage(body), let payload = message.payloads.first else {
      return invalid("it has no aps", "add it, even if empty; types other than alert need apns-push-type")
    }
    let place =
      payload.path.isEmpty ? "the payload" : "the object at \(String(payload.path.prefix(100)).printable)"
    let name = message.envelope.flatMap { $0 == "wrapped" ? nil : $0 }
    return invalid(
      name.map { "it is a message for \($0)" } ?? "its aps is further inside",
      "APNs takes the payload alone: put only \(place) into the queue")
  }

  private static func tooLarge(_ body: [UInt8], _ type: PushType?) -> Rejection {
    let maximum = (type ?? .alert).maximumPayloadSize
    let hint = type == .voip ? "" : " (5120 for voip)"
    return Rejection(
      "payload-too-large",
      detail:
        "it has \(body.count) bytes: APNs takes at most \(maximum)\(hint), so leave out or shorten some of it"
    )
  }

  private static func invalid(
    _ fault: String, _ right: String = "APNs takes a JSON object with an object aps"
  ) -> Rejection {
    Rejection("payload-invalid", detail: "\(fault): \(right)")
  }
}
