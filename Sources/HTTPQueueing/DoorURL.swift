package import Queueing
internal import Serving

/// `http://ADDRESS:PORT`: an address of this machine, where clients bring payloads.
package struct DoorURL: QueueURL {
  package static let kind = QueueKind(["http:"], example: { _ in Self.right }) {
    (text, _) throws(QueueError) in
    try DoorURL(text)
  }

  private static let right = "http://127.0.0.1:8080"

  private let endpoint: Endpoint

  init(_ text: String) throws(QueueError) {
    let rest = text.dropFirst("http:".count)
    var place = rest.hasPrefix("//") ? rest.dropFirst(2) : ""
    if place.hasSuffix("/") { place = place.dropLast() }
    do throws(ServingError) {
      endpoint = try Endpoint(String(place))
    } catch {
      let fault = URLFault("an address of this machine and a port follow its http://, and nothing else")
      throw .urlInvalid(text.withoutPassword, fault, right: Self.right)
    }
  }

  package var label: QueueLabel { QueueLabel(system: "http", name: "\(endpoint)") }
  package var needs: QueueNeeds { QueueNeeds(listenPort: endpoint.port) }
  package var door: DoorReach? { endpoint.isLoopback ? .machine : .network }

  package func isSameQueue(as other: any QueueURL) -> Bool { (other as? DoorURL)?.endpoint == endpoint }
  package func sibling(_ name: String, of text: String) -> String? { nil }
  package func example(_ name: String) -> String { Self.right }

  /// The door starts to listen at the first `receive`.
  package func open(in queues: Queues, for use: QueueUse, createsFile: Bool) throws(QueueError) -> any Queue {
    guard use == .taking, let settings = queues.door else {
      throw .refused(
        "a door is for --from of work alone: clients put payloads in by POST http://\(endpoint)\(Door.path), and results go back to them unless --to names a queue"
      )
    }
    return Door(at: endpoint, settings)
  }
}
