internal import Misbehaving
internal import Serving

/// A mock of APNs for users' own trials, with a new key and a new certificate.
package struct PushDemo {
  private let endpoint: Endpoint
  private let show: @Sendable (String) -> Void

  /// - Parameter address: an IPv4 address and a port. Port 0: any free one.
  package init(at address: String, show: @escaping @Sendable (String) -> Void) throws(DemoError) {
    self.show = show
    do throws(ServingError) {
      endpoint = try Endpoint(address)
    } catch {
      throw DemoError("--apns: \(error)")
    }
  }

  /// Serves until `wait` returns, then shows what came.
  /// - Throws: `DemoError` if nothing can listen there.
  package func run(until wait: () async -> Void) async throws {
    let folder = try TemporaryFolder()
    let (keyFile, caFile) = ("\(folder.path)/AuthKey.p8", "\(folder.path)/certificate.pem")
    let mock = try start(keyFile: keyFile, caFile: caFile)
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
    await wait()
    await mock.stop()
    let ledger = mock.ledger
    show("\n\(ledger.connections) connections, \(ledger.entries.count) pushes, \(ledger.accepted) accepted")
    for (reason, count) in ledger.reasons.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      show("\(count) \(reason)")
    }
  }

  private func start(keyFile: String, caFile: String) throws(DemoError) -> MockAPNs {
    do throws(MisbehavingError) {
      let key = try APNsKey()
      try key.write(to: keyFile)
      let certificate = try ServerCertificate(for: "DNS:localhost,IP:\(endpoint.address)")
      try certificate.write(to: caFile)
      let tls = try TLSServerContext(certificate, speaking: .http2)
      return try MockAPNs(.healthy, key: key, on: endpoint.address, port: endpoint.port, tls: tls)
    } catch {
      throw DemoError("--apns: \(error)")
    }
  }
}
