internal import CCurl
internal import Glibc

/// What libcurl needs once per process.
enum LibcurlSetup {
  /// Nil when all is well.
  static let failure: FetchError? = {
    // libcurl turns international host names into A-labels only from a UTF-8 locale, and a Swift program starts in "C".
    // Whatever they fold into is judged at the socket, as an address.
    guard unsafe setlocale(LC_CTYPE, "C.UTF-8") != nil else {
      return .resourcesExhausted(detail: "this system has no locale C.UTF-8")
    }
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else {
      return .resourcesExhausted(detail: "libcurl did not start")
    }
    return nil
  }()
}
