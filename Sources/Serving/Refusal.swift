/// Why a request was refused before a route could answer it.
struct Refusal: Error {
  let response: Response

  init(_ response: Response) { self.response = response }

  init(_ status: Int, _ text: String, _ fields: [(name: String, value: String)] = []) {
    response = .page(Array("\(text)\n".utf8), status: status, fields: fields)
  }

  static func tooLarge(for route: Route) -> Self { Self(413, "the body limit is \(route.bodyLimit) bytes") }
  static let crowded = Refusal(
    503, "the bodies of other requests fill the memory: try again", [("Retry-After", "1")])
  static let slow = Refusal(408, "the request took too long")
  static let malformed = Refusal(400, "that is not an HTTP/1.1 request")
  static let longHead = Refusal(
    431, "the request line and the headers are too long, or there are too many headers")
  static let stopping = Refusal(503, "stopping: try again, here or elsewhere", [("Retry-After", "1")])
}
