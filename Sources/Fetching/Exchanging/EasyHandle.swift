package import CCurl
internal import Supporting

/// One libcurl transfer (`libcurl-easy(3)`). Frees itself.
@safe package struct EasyHandle: ~Copyable {
  package let pointer: UnsafeMutableRawPointer
  /// A table of the transfer's own. In libcurl 7.88.1 (AddressMemoryTests), the multi handle keeps
  /// the addresses of all hosts of the last minute, and each transfer walks through them. Redirects
  /// to one new name after another would fill the memory.
  private let addresses: UnsafeMutableRawPointer?
  private let errorText: UnsafeMutablePointer<CChar>
  private var kept: [AnyObject] = []

  /// - Parameter sharesAddresses: whether it uses the multi handle's table, for hosts that are few.
  package init(sharesAddresses: Bool = false) throws(FetchError) {
    guard let pointer = unsafe curl_easy_init() else { throw .noMemoryForTransfer }
    let addresses = unsafe sharesAddresses ? nil : curl_own_addresses(pointer)
    guard unsafe sharesAddresses || addresses != nil else {
      unsafe curl_easy_cleanup(pointer)
      throw .noMemoryForTransfer
    }
    unsafe self.pointer = pointer
    unsafe self.addresses = addresses
    unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    _ = unsafe curl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorText)
  }

  deinit {
    unsafe curl_easy_cleanup(pointer)
    // An HTTP/2 connection that other transfers still use also owns its entry, and keeps it alive.
    if let addresses = unsafe addresses { _ = unsafe curl_share_cleanup(addresses) }
    unsafe errorText.deallocate()
  }

  package func set(_ option: CURLoption, _ value: Int) throws(FetchError) {
    try check(unsafe curl_set_long(pointer, option, value), option)
  }

  /// libcurl keeps a copy. Without `withCString`, Swift would make another one on the heap.
  package func set(_ option: CURLoption, _ value: String) throws(FetchError) {
    let code = unsafe value.withCString { unsafe curl_set_string(pointer, option, $0) }
    try check(code, option)
  }

  package mutating func set(_ option: CURLoption, _ list: CurlList) throws(FetchError) {
    kept.append(list)
    try check(unsafe curl_set_pointer(pointer, option, list.pointer), option)
  }

  mutating func set(_ root: URLParts) throws(FetchError) {
    kept.append(root)
    // libcurl uses the parsed parts. Without the text, it would build one from them.
    try set(CURLOPT_URL, root.text)
    try check(
      unsafe curl_set_pointer(pointer, CURLOPT_CURLU, UnsafeMutableRawPointer(root.handle)), CURLOPT_CURLU)
  }

  package func check(_ code: CURLcode, _ option: CURLoption) throws(FetchError) {
    guard code == CURLE_OK else {
      throw .resourcesExhausted(detail: "libcurl refuses option \(option.rawValue) (error \(code.rawValue))")
    }
  }

  package var errorDetail: String? { unsafe errorText.pointee == 0 ? nil : String(cString: errorText) }

  package func number(_ info: CURLINFO) -> Int {
    var value = 0
    return unsafe curl_get_long(pointer, info, &value) == CURLE_OK ? value : 0
  }

  func string(_ info: CURLINFO) -> String? {
    unsafe curl_get_string(pointer, info).map { unsafe String(cString: $0) }
  }

  var tls: TLSConnection? { unsafe TLSConnection(curl_get_tls(pointer)) }

  package var ends: Connection.Ends? {
    guard let address = string(CURLINFO_PRIMARY_IP).flatMap(IPAddress.init(_:)) else { return nil }
    return Connection.Ends(
      localPort: number(CURLINFO_LOCAL_PORT), address: address, port: number(CURLINFO_PRIMARY_PORT))
  }

  static func owner(of handle: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    unsafe UnsafeMutableRawPointer(mutating: curl_get_string(handle, CURLINFO_PRIVATE))
  }

  /// Whether `handle` is a transfer that has no connection yet.
  static func isConnecting(_ handle: UnsafeMutableRawPointer?) -> Bool {
    guard unsafe owner(of: handle) != nil else { return false }
    return unsafe curl_get_string(handle, CURLINFO_PRIMARY_IP).map { unsafe $0.pointee == 0 } ?? true
  }
}

@safe package final class CurlList {
  let pointer: UnsafeMutablePointer<curl_slist>?

  package init(_ values: [String]) throws(FetchError) {
    var list: UnsafeMutablePointer<curl_slist>?
    for value in values {
      guard let longer = unsafe value.withCString({ unsafe curl_slist_append(list, $0) }) else {
        unsafe curl_slist_free_all(list)
        throw .noMemoryForTransfer
      }
      unsafe list = longer
    }
    unsafe pointer = list
  }

  deinit { unsafe curl_slist_free_all(pointer) }
}
