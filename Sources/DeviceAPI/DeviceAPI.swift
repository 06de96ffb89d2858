package import PushQueueing
package import Serving
internal import Supporting

/// The server for devices. They ask it for pushes that they missed, and report what they have seen. Devices
/// are strangers: only a client with the ticket of a push learns anything, and only about the device that got
/// this push.
package struct DeviceAPI: Sendable {
  private let server: Server

  /// Where it listens. If port 0 was asked for, this has the port that the kernel chose.
  package var endpoint: Endpoint { server.endpoint }

  /// Starts to listen.
  /// - Parameter now: milliseconds since 1970.
  package static func start(
    _ settings: DeviceAPISettings, queue: any PushQueue, keys: TicketKeys,
    now: @escaping @Sendable () -> Int64 = { WallClock.milliseconds }
  ) async throws(ServingError) -> DeviceAPI {
    let warn = settings.warn
    var certificate: TLSCertificate?
    if let file = settings.certificateFile {
      certificate = try TLSCertificate(certificate: file, key: settings.keyFile ?? file) { warn("\($0)") }
    }
    let desk = Desk(queue: queue, keys: keys, calls: settings.calls, warn: warn, now: now)
    var limits = ServerLimits()
    limits.connections = settings.connections
    limits.backlog = settings.connections
    // Longer than the 60 s for which nginx keeps a connection, so that it never sends into one that closes.
    limits.idle = .seconds(75)
    limits.transfer = settings.transfer
    return DeviceAPI(
      server: try await Server.start(
        at: settings.endpoint, routes: desk.routes, limits: limits, with: certificate,
        // A proxy may pass on the host that the device named.
        admitsAllHosts: true, counting: settings.answered))
  }

  /// Stops listening. Closes each connection after its answer, at the latest after `limit`.
  package func stop(within limit: Duration = .zero) async { await server.stop(within: limit) }
}
