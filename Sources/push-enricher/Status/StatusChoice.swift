internal import Serving

/// The value of `--status`, the endpoint of the status pages, and where it was set.
struct StatusChoice {
  let origin: String
  let endpoint: Endpoint

  /// - Returns: nil where it is not set. Ends the process if it is not a valid endpoint.
  init?(commandLine: String?, in sources: OptionSources) {
    guard let found = sources.find(.status, commandLine: commandLine.map { [$0] } ?? []) else { return nil }
    origin = found.origin
    do throws(ServingError) {
      endpoint = try Endpoint(found.values.joined(separator: ","))
    } catch {
      ExitStatus.usage.end("\(origin): \(error)")
    }
  }
}
