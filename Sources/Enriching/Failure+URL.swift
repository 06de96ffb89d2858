internal import Fetching

/// What to say about a URL that is not fetched because of what it is. The error is `.urlInvalid` or
/// `.schemeNotAllowed`.
extension Failure {
  /// - Parameter url: the URL that the payload names.
  static func refusal(_ error: FetchError, ofNamed url: String) -> (detail: String, cause: Cause?) {
    switch Cause.corrected(error, of: url) {
    // Nothing is wrong with the URL itself.
    case .schemeNotAllowed("http"): return ("\(error)", nil)
    case .schemeNotAllowed("aesgcm"):
      return (
        "'aesgcm' is fetched for encrypted content only: here, anyone could read the key in the URL",
        Cause.url(url)
      )
    case let error: return ("\(error)", Cause.url(url))
    }
  }

  /// - Parameter target: the URL that a redirect led to, or its beginning. The payload did not name it.
  static func refusal(_ error: FetchError, of target: String) -> (detail: String, cause: Cause?) {
    switch Cause.corrected(error, of: target) {
    case .schemeNotAllowed("http"):
      // If http is not allowed, the redirect came from https.
      return (
        "a redirect leads to http, which is not fetched",
        Cause(
          "link to an https URL that redirects to https only, or allow the redirect with --allow-http and --allow-downgrade"
        )
      )
    case .schemeNotAllowed(let scheme):
      return ("a redirect leads to a URL that starts with '\(scheme):', which is not fetched", Cause.target)
    case .urlInvalid(let detail):
      return ("a redirect leads to a URL that cannot be fetched: \(detail)", Cause.target)
    default: return ("\(error)", nil)
    }
  }
}

extension Cause {
  fileprivate static let target = Cause(
    "link to the file itself, or have the server redirect to its https URL")
}
