internal import Glibc
internal import Misbehaving
internal import Serving
internal import Supporting

/// A mock of APNs for users' own trials, with a new key and a new certificate.
package struct PushDemo {
  private static let pause = Duration.seconds(1)

  private let endpoint: Endpoint
  private let answersAfter: Duration
  private let follows: Bool
  private let show: @Sendable (String) -> Void

  /// - Parameters:
  ///   - address: an IPv4 address and a port. Port 0: any free one.
  ///   - answersAfter: how long the mock takes to answer a push.
  ///   - follows: whether to show the counts when they change, and not only at the end.
  package init(
    at address: String, answersAfter: Duration, follows: Bool, show: @escaping @Sendable (String) -> Void
  ) throws(DemoError) {
    (self.answersAfter, self.follows, self.show) = (answersAfter, follows, show)
    do throws(ServingError) {
      endpoint = try Endpoint(address)
    } catch {
      throw DemoError("--apns: \(error)")
    }
  }

  /// Serves until `wait` returns, then shows what came.
  /// - Throws: `DemoError` if nothing can listen there.
  package func run(until wait: () async -> Void) async throws {
    var behaviour = APNsBehaviour.healthy
    // Each command of a trial makes a token of its own.
    behaviour.tokenInterval = .zero
    behaviour.answersAfter = answersAfter
    let certificate = try ServerCertificate(for: "DNS:localhost,IP:\(endpoint.address)")
    let mock = try start(behaviour, certificate)
    // The name is the same each time, so that killed demos leave at most one folder per port, and users can repeat
    // their commands.
    let folder = try TemporaryFolder(named: "push-enricher-apns-\(mock.port)")
    let (keyFile, caFile) = ("\(folder.path)/AuthKey.p8", "\(folder.path)/certificate.pem")
    try mock.key.write(to: keyFile)
    try certificate.write(to: caFile)
    show(
      """
      A mock of APNs answers at \(mock.url) until you stop it with Ctrl-C.
      target       \(mock.target(key: keyFile))
      trust it by  --ca-file \(caFile)
      key file     \(keyFile)
      key id       \(mock.key.id)
      team id      \(mock.key.team)
      A device token that spells a reason in hexadecimal gets this reason, for example Unregistered:
      \(APNsReason.Unregistered.deviceToken)
      """)
    let following = follows ? Task { await follow(mock) } : nil
    await wait()
    following?.cancel()
    await mock.stop()
    show("\n\(mock.ledger.counts.joined(separator: "\n"))")
  }

  /// Shows the counts when they have changed.
  private func follow(_ mock: MockAPNs) async {
    var last = mock.ledger.counts
    while (try? await Task.sleep(for: Self.pause)) != nil {
      let counts = mock.ledger.counts
      guard counts != last else { continue }
      show(counts.joined(separator: ", "))
      last = counts
    }
  }

  private func start(
    _ behaviour: APNsBehaviour, _ certificate: borrowing ServerCertificate
  ) throws(DemoError) -> MockAPNs {
    do throws(MisbehavingError) {
      let tls = try TLSServerContext(certificate, speaking: .http2)
      return try MockAPNs(behaviour, key: APNsKey(), on: endpoint.address, port: endpoint.port, tls: tls)
    } catch .unbound(address: _, code: EADDRINUSE) {
      throw DemoError("--apns: \(ServingError.endpointTaken(endpoint))")
    } catch {
      throw DemoError("--apns: \(error)")
    }
  }
}

extension APNsLedger {
  /// What came, and how many pushes were refused for each reason.
  fileprivate var counts: [String] {
    let pushes = "\(entries.count) \(entries.count == 1 ? "push" : "pushes")"
    return ["\(connections) connection\(connections == 1 ? "" : "s"), \(pushes), \(accepted) accepted"]
      + reasons.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($1) \($0)" }
  }
}
