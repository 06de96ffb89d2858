internal import Decrypting
internal import Enriching
internal import Fetching
internal import Sniffing

extension Enricher {
  static func make(_ settings: EnrichmentSettings) -> Result<Enricher, SetupError> {
    Result { () throws(SetupError) in try Enricher(settings: settings) }
  }

  /// An enricher, or the end of the process with what is wrong.
  static func orExit(
    settings: EnrichmentSettings, _ end: (ExitStatus, String) -> Never = { $0.end($1) }
  ) -> Enricher {
    switch make(settings) {
    case .success(let enricher): return enricher
    case .failure(let error): end(error.status, error.text)
    }
  }
}

extension SetupError {
  var text: String {
    switch self {
    case .fetching(.tlsFailed(let detail)): "--ca-file: \(detail)"
    case .fetching(let error): "the fetcher did not start: \(error)"
    case .openFiles(let limit):
      "\(limit) open files leave no room for a single download: allow more (ulimit -n, LimitNOFILE= in systemd)"
    case .keys(let error): "the keys cannot be used: \(error)"
    case .sniffing(let error): "the self-test failed: \(error)"
    case .decrypting(.answersOtherwise(primitive: let primitive)):
      "the self-test failed: OpenSSL's \(primitive) is missing or wrong: reinstall libssl3, and look at /etc/ssl/openssl.cnf"
    case .decrypting(let error): "the self-test failed: \(error)"
    }
  }

  var status: ExitStatus {
    switch self {
    case .fetching(.tlsFailed), .openFiles, .keys: .usage
    case .fetching, .sniffing, .decrypting: .defect
    }
  }
}
