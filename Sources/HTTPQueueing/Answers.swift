internal import Notifications
internal import Queueing
internal import Serving
internal import Supporting

extension Request {
  /// Headers for APNs that do not begin with `apns-`, which its sender reads beside the payload.
  private static let others = ["device-token", "device-id", "send-at"]

  /// The fields that travel with the payload, with their names in lower case: HTTP takes any, and queues do not.
  var travelling: [Header] {
    fields.compactMap { field in
      let name = String(decoding: field.name.utf8.map(\.lowercasedASCII), as: UTF8.self)
      let travels = name.hasPrefix("apns-") || name.hasPrefix("x-") || Self.others.contains(name)
      return travels ? Header(name, field.value) : nil
    }
  }
}

/// All answers of a door but those that `Serving` has for requests that no route takes.
extension Response {
  static func result(_ message: Message) -> Response {
    Response(message.body, as: "application/json", fields: fields(message))
  }

  /// It is safe in another queue.
  static func published(_ message: Message) -> Response { Response(status: 202, fields: fields(message)) }

  private static func fields(_ message: Message) -> [(name: String, value: String)] {
    message.headers.map { ($0.name, $0.value) }
  }

  static func invalid(_ error: PayloadError) -> Response { text(400, "the body is no payload: \(error)") }

  static let crowded = retry("all places are taken: try again")
  static let unpublished = retry("the result could not be published: try again")
  static let late = retry("the result could not be published in time: try again, it may come twice")
  static let draining = Response.page(
    Array("stopping: try again, here or elsewhere\n".utf8), status: 503, fields: [("Retry-After", "1")])
  static let fromPage = Response.page(
    "pages in browsers are not let in without a token: see --door-token-file\n", status: 403)
  /// For a client that has gone.
  static let unheard = Response(status: 499)

  private static func retry(_ text: String) -> Response {
    self.text(503, text, fields: [("Retry-After", "1")])
  }

  private static func text(
    _ status: Int, _ text: String, fields: [(name: String, value: String)] = []
  ) -> Response {
    Response(status: status, Array("\(text)\n".utf8), as: "text/plain; charset=utf-8", fields: fields)
  }
}
