internal import Notifications
internal import Queueing
internal import Serving
internal import Supporting

extension Request {
  /// Headers for APNs whose names do not begin with `apns-`. The APNs sender reads them beside the payload.
  private static let others = ["device-token", "device-id", "send-at"]

  /// Whether a proxy in front of the door would obey the field in an answer, such as nginx `X-Accel-Redirect`.
  private static func isForProxy(_ name: String) -> Bool {
    name.utf8.starts(with: "x-accel-".utf8) || name.utf8.starts(with: "x-sendfile".utf8)
      || name == "x-lighttpd-send-file"
  }

  /// The fields that travel with the payload. Names are in lower case because, unlike HTTP, queues
  /// distinguish case.
  var travelling: [Header] {
    fields.compactMap { field in
      let name = String(decoding: field.name.utf8.map(\.lowercasedASCII), as: UTF8.self)
      let travels =
        name.utf8.starts(with: "apns-".utf8) || name.utf8.starts(with: "x-".utf8) && !Self.isForProxy(name)
        || Self.others.contains(name)
      return travels ? Header(name, field.value) : nil
    }
  }
}

/// All answers of a door, except those of `Serving` to requests that no route takes.
extension Response {
  static func result(_ message: Message) -> Response {
    Response(message.body, as: "application/json", fields: fields(message))
  }

  /// The result is safe in another queue.
  static func published(_ message: Message) -> Response { Response(status: 202, fields: fields(message)) }

  private static func fields(_ message: Message) -> [(name: String, value: String)] {
    message.headers.map { ($0.name, $0.value) }
  }

  static func invalid(_ error: PayloadError) -> Response { text(400, "the body is not a payload: \(error)") }

  static let crowded = retry("all places are taken: try again")
  static let unpublished = retry("the result could not be published: try again")
  static let late = retry("the result could not be published in time: try again, it may come twice")
  static let draining = Response.page(
    Array("stopping: try again, here or elsewhere\n".utf8), status: 503, fields: [("Retry-After", "1")])
  static let fromPage = Response.page(
    "pages in browsers may not use the door without a token: see --door-token-file\n", status: 403)
  /// The answer to a client that has gone away.
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
