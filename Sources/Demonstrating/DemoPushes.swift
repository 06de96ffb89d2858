internal import BuiltInQueueing
internal import Misbehaving
internal import Queueing
internal import Supporting

/// Sends results to a mock of APNs, and reports what it answered and what each device would get.
struct DemoPushes {
  private static let topic = "com.example.app"

  /// What became of a result.
  struct Answer: Sendable {
    /// APNs' status; nil if the result was not sent because it is not a payload for APNs.
    let status: Int?
    /// What the device would get; nil if APNs has not accepted it.
    let received: [UInt8]?
  }

  /// - Parameter results: each with its own name as its id.
  /// - Returns: the answers by name.
  static func send(_ results: [Message]) async throws -> [String: Answer] {
    let folder = try TemporaryFolder()
    let (keyFile, caFile) = ("\(folder.path)/AuthKey.p8", "\(folder.path)/certificate.pem")
    let certificate = try ServerCertificate(for: "IP:127.0.0.1")
    try certificate.write(to: caFile)
    let tls = try TLSServerContext(certificate, speaking: .http2)
    var behaviour = APNsBehaviour.healthy
    behaviour.keepsBodies = true
    return try await withMockAPNs(behaviour, tls: tls) { mock in
      try mock.key.write(to: keyFile)
      let target = "\(mock.target(key: keyFile))&topic=\(topic)"
      let sink = try QueueKind.builtIn.url(target, defaultQueue: "")
        .open(in: Queues(certificateFile: caFile), for: .adding, createsFile: false)
      // Each result goes to a device of its own.
      let devices = results.indices.map { String(hexadecimal: [UInt8($0 >> 8 & 255), UInt8($0 & 255)].span) }
      let pushes = zip(results, devices).map { result, device in
        Message(id: result.id, body: result.body, headers: [Header(Message.deviceTokenHeader, device)])
      }
      let outcomes = try await sink.send(pushes)
      let bodies = Dictionary(mock.ledger.entries.values.map { ($0.device, $0.body) }) { first, _ in first }
      var answers: [String: Answer] = [:]
      for ((result, device), outcome) in zip(zip(results, devices), outcomes) {
        switch outcome {
        case .sent: answers[result.id] = Answer(status: 200, received: bodies[device])
        case .rejected(let rejection):
          let status = rejection.headers.first { $0.name == "apns-status" }.flatMap { Int($0.value) }
          answers[result.id] = Answer(status: status, received: nil)
        case .unavailable(let detail, _): throw DemoError("the mock of APNs does not answer: \(detail)")
        }
      }
      return answers
    }
  }
}
