internal import Logging
internal import Serving

/// The value of `--status`: the endpoint of the status pages, and where it was set.
struct StatusChoice {
  let origin: String
  let endpoint: Endpoint

  init(_ text: String, from origin: String) throws(ServingError) {
    self.origin = origin
    endpoint = try Endpoint(text)
  }

  /// Serves the status, or ends the process if that can never work. If another program has the
  /// port, returns at once and keeps trying: it may be the previous worker, and payloads should not
  /// wait for it to end.
  func serve(_ routes: [Route], log: Logger) async {
    if await tryToServe(routes, log) { return }
    log.warning(
      "the status is not served yet, trying again",
      metadata: ["error": "\(origin): \(ServingError.endpointTaken(endpoint))"])
    Task {
      repeat { try? await Task.sleep(for: .seconds(1)) } while await !tryToServe(routes, log)
    }
  }

  /// - Returns: false if another program has the port.
  private func tryToServe(_ routes: [Route], _ log: Logger) async -> Bool {
    do throws(ServingError) {
      let endpoint = try await Server.start(at: endpoint, routes: routes).endpoint
      if endpoint.isLoopback {
        log.info("the status is served", metadata: ["address": "\(endpoint)"])
      } else {
        log.warning(
          "the status is served to everybody who reaches this address, without a password: names of hosts and queues, failures, counts",
          metadata: ["address": "\(endpoint)"])
      }
      return true
    } catch .endpointTaken {
      return false
    } catch {
      ConsoleLog.end(.usage, "\(origin): \(error)")
    }
  }
}
