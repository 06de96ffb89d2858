internal import Logging
internal import Serving

/// The status pages for as long as the process lives, where they are wanted.
enum StatusService {
  /// Returns once they are served, or at once if another program has the port; they are then served as soon
  /// as it ends. It may be the previous worker, still finishing its work, and payloads do not wait for that.
  /// Ends the process if they can never be served.
  static func start(at choice: StatusChoice, routes: [Route], log: Logger) async {
    if await serve(at: choice, routes: routes, log: log) { return }
    log.warning(
      "the status is not served yet, trying again",
      metadata: ["error": "\(choice.origin): \(ServingError.endpointTaken(choice.endpoint))"])
    Task {
      repeat {
        try? await Task.sleep(for: .seconds(1))
      } while await !serve(at: choice, routes: routes, log: log)
    }
  }

  private static func tell(_ endpoint: Endpoint, _ log: Logger) {
    if endpoint.isLoopback {
      log.info("the status is served", metadata: ["address": "\(endpoint)"])
    } else {
      log.warning(
        "the status is served to everybody who reaches this address, without a password: names of hosts and queues, failures, counts",
        metadata: ["address": "\(endpoint)"])
    }
  }

  /// - Returns: false where another program has the port.
  private static func serve(at choice: StatusChoice, routes: [Route], log: Logger) async
    -> Bool
  {
    do throws(ServingError) {
      let server = try await Server.start(at: choice.endpoint, routes: routes)
      tell(server.endpoint, log)
      return true
    } catch .endpointTaken {
      return false
    } catch {
      ConsoleLog.end(.usage, "\(choice.origin): \(error)")
    }
  }
}
