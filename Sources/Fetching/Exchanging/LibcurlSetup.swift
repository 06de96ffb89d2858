internal import CCurl
internal import Glibc

/// libcurl's setup, once per process. The first user waits 1 ms for it.
package enum LibcurlSetup {
  /// Sets libcurl up while the program has one thread only: others may be reading the locale that this changes
  /// (`setlocale(3)`).
  package static func prepare() { _ = failure }

  /// Nil if all is well.
  static let failure: FetchError? = {
    // libcurl turns international host names into A-labels only in a UTF-8 locale, and a Swift program starts
    // in "C". Whatever they fold into is judged at the socket, as an address.
    guard unsafe setlocale(LC_CTYPE, "C.UTF-8") != nil else {
      return .resourcesExhausted(detail: "this system has no locale C.UTF-8")
    }
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else {
      return .resourcesExhausted(detail: "libcurl did not start")
    }
    _ = HTTP2Frames.areSeen
    return nil
  }()
}
