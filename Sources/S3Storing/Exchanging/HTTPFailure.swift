internal import Fetching

/// Why a request got no usable answer. Contains no path, query or header, because they may hold secrets.
struct HTTPFailure: Error, Equatable {
  /// What happened, and at which server.
  let problem: String
  /// What to do about it.
  let advice: String
  /// Whether the same request may succeed a moment later.
  let mayTryAgain: Bool
}

extension HTTPFailure {
  static let cancelled = HTTPFailure(
    problem: "the request was given up", advice: "make the service or the network to it faster",
    mayTryAgain: false)

  /// Another try would read the same disk.
  static let spoolUnreadable = HTTPFailure(
    problem: "the spool could not be read back", advice: "check the disk of --spool", mayTryAgain: false)

  /// This machine lacks memory, file descriptors or certificates.
  static func lacking(_ error: FetchError, for url: ServiceURL) -> Self {
    let (advice, mayTryAgain) =
      switch error {
      case .tlsFailed: ("check --ca-file, or install ca-certificates", false)
      case .openFilesExhausted: ("allow more open files (ulimit -n, LimitNOFILE= in systemd)", true)
      default: ("check the limits of this process", true)
      }
    return HTTPFailure(
      problem: "no request to \(url.authority) could be made: \(error)", advice: advice,
      mayTryAgain: mayTryAgain)
  }

  /// The answer, or the lack of one, shows that this is not the right service.
  static func unusable(_ url: ServiceURL, _ what: String) -> Self {
    HTTPFailure(
      problem: "\(url.authority) \(what)", advice: "check that this is the address of the service",
      mayTryAgain: false)
  }

  static func cut(_ url: ServiceURL, _ what: String) -> Self {
    HTTPFailure(
      problem: "\(url.authority) \(what)", advice: "if this keeps happening, check the service's log",
      mayTryAgain: true)
  }
}
