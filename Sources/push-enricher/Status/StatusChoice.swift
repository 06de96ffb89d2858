internal import Serving

/// The value of `--status`, the endpoint of the status pages, and where it was set.
struct StatusChoice {
  let origin: String
  let endpoint: Endpoint

  /// - Returns: nil where it is not set. Ends the process if it is not a valid endpoint.
  init?(commandLine: String?, in sources: OptionSources) {
    let found = OptionError.orExit { () throws(OptionError) in try sources.findOne(.status, commandLine) }
    guard let found else { return nil }
    origin = found.origin
    do throws(ServingError) {
      endpoint = try Endpoint(found.text)
    } catch {
      ExitStatus.usage.end("\(origin): \(error)")
    }
  }
}
