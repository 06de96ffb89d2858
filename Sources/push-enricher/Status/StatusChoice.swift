internal import Serving

/// Where `--status` says that a worker tells how it is, and where that was said.
struct StatusChoice {
  let origin: String
  let endpoint: Endpoint

  /// - Returns: nil where nobody says so. Ends the process where it is said wrongly.
  init?(commandLine: String?, in sources: OptionSources) {
    guard let found = sources.find("status", commandLine: commandLine.map { [$0] } ?? []) else { return nil }
    origin = found.origin
    do throws(ServingError) {
      endpoint = try Endpoint(found.values.joined(separator: ","))
    } catch {
      ExitStatus.usage.end("\(origin): \(error)")
    }
  }
}
