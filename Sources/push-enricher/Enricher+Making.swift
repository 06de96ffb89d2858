internal import Decrypting
internal import Enriching
internal import Fetching
internal import Sniffing
internal import Storing

extension Enricher {
  static func make(_ settings: EnrichmentSettings) -> Result<Enricher, SetupError> {
    if settings.keys != nil { ProcessSecrets.guardKeys() }
    return Result { () throws(SetupError) in try Enricher(settings: settings) }
  }

  /// An enricher, or the end of the process with what is wrong.
  static func orExit(settings: EnrichmentSettings) -> Enricher {
    switch make(settings) {
    case .success(let enricher): return enricher
    case .failure(let error): error.status.end(error.text)
    }
  }

  /// Goes on with a store that can do what it has to, or ends the process with what it cannot.
  func checkStoreOrExit() async {
    do throws(SetupError) {
      try await checkStore()
    } catch {
      error.status.end(error.text)
    }
  }
}

extension SetupError {
  var text: String {
    switch self {
    case .fetching(.tlsFailed(let detail)): "--ca-file: \(detail)"
    case .fetching(let error): "the fetcher did not start: \(error)"
    case .keys(let error): "the keys cannot be used: \(error)"
    case .sniffing(let error): "the self-test failed: \(error)"
    case .decrypting(.answersOtherwise(primitive: let primitive)):
      "the self-test failed: OpenSSL's \(primitive) is missing or wrong: reinstall libssl3, and look at /etc/ssl/openssl.cnf"
    case .decrypting(let error): "the self-test failed: \(error)"
    case .storing(let error): "the self-test failed: \(error); \(error.advice)"
    }
  }

  var status: ExitStatus {
    switch self {
    case .fetching(.tlsFailed), .keys: .usage
    case .fetching, .sniffing, .decrypting, .storing: .defect
    }
  }
}
