internal import CCurl
internal import Supporting

/// One libcurl transfer (`libcurl-easy(3)`) with this project's fixed options. Frees itself.
@safe struct EasyHandle: ~Copyable {
  let pointer: UnsafeMutableRawPointer
  /// Addresses of hosts, of this transfer alone. The multi handle's would be those of all hosts of the last
  /// minute, and each transfer looks through them for what is over: whoever redirects to a new name each time
  /// would fill the memory with them.
  private let addresses: UnsafeMutableRawPointer
  private var lists: [UnsafeMutablePointer<curl_slist>]
  /// Whose list libcurl has, in place of one of its own.
  private var headers: RequestHeaders?
  /// Whose parts libcurl copies with each attempt.
  private var root: ParsedRoot?
  private let errorText: UnsafeMutablePointer<CChar>

  /// - Throws: `FetchError.resourcesExhausted`.
  init() throws(FetchError) {
    guard let pointer = unsafe curl_easy_init() else {
      throw .resourcesExhausted(detail: "no memory for a transfer")
    }
    guard let addresses = unsafe curl_own_addresses(pointer) else {
      unsafe curl_easy_cleanup(pointer)
      throw .resourcesExhausted(detail: "no memory for a transfer")
    }
    unsafe self.pointer = pointer
    unsafe self.addresses = addresses
    unsafe lists = []
    headers = nil
    root = nil
    unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    unsafe curl_easy_cleanup(pointer)
    // A connection of HTTP/2 that others still use counts itself among the owners of its entry.
    _ = unsafe curl_share_cleanup(addresses)
    unsafe lists.forEach { unsafe curl_slist_free_all($0) }
    unsafe errorText.deallocate()
  }

  /// Has libcurl write its sentence on a failure down.
  func recordErrors() throws(FetchError) {
    try unsafe set(CURLOPT_ERRORBUFFER, pointer: errorText)
  }

  /// libcurl's own sentence on what went wrong; nil if it has none.
  var errorDetail: String? {
    guard unsafe errorText.pointee != 0 else { return nil }
    return unsafe String(cString: errorText)
  }

  func set(_ option: CURLoption, _ value: Int) throws(FetchError) {
    try check(unsafe curl_set_long(pointer, option, value), option)
  }

  /// libcurl keeps a copy of `value`.
  func set(_ option: CURLoption, _ value: String) throws(FetchError) {
    // As an argument of its own it would be copied onto the heap, and libcurl copies it once more.
    let code = unsafe value.withCString { unsafe curl_set_string(pointer, option, $0) }
    try check(code, option)
  }

  /// Leaves it out, where libcurl has something of its own.
  func clear(_ option: CURLoption) throws(FetchError) {
    try check(unsafe curl_set_string(pointer, option, nil), option)
  }

  /// The strings live as long as the handle, as libcurl asks.
  mutating func set(_ option: CURLoption, _ values: [String]) throws(FetchError) {
    let list = try unsafe Self.list(of: values)
    if let list = unsafe list { unsafe lists.append(list) }
    try check(unsafe curl_set_list(pointer, option, list), option)
  }

  mutating func set(_ headers: RequestHeaders) throws(FetchError) {
    self.headers = headers
    try check(unsafe curl_set_list(pointer, CURLOPT_HTTPHEADER, headers.list), CURLOPT_HTTPHEADER)
  }

  mutating func set(_ root: ParsedRoot) throws(FetchError) {
    self.root = root
    // libcurl goes by what was parsed; without the text as well it would put one together.
    try set(CURLOPT_URL, root.text)
    try unsafe set(CURLOPT_CURLU, pointer: UnsafeMutableRawPointer(root.parts.handle))
  }

  /// - Returns: copies, to be freed with `curl_slist_free_all`; nil for none.
  static func list(of values: [String]) throws(FetchError) -> UnsafeMutablePointer<curl_slist>? {
    var list: UnsafeMutablePointer<curl_slist>?
    for value in values {
      guard let longer = unsafe value.withCString({ unsafe curl_slist_append(list, $0) }) else {
        unsafe curl_slist_free_all(list)
        throw .resourcesExhausted(detail: "no memory for a transfer")
      }
      unsafe list = longer
    }
    return unsafe list
  }

  func set(_ option: CURLoption, pointer value: UnsafeMutableRawPointer) throws(FetchError) {
    try unsafe check(curl_set_pointer(pointer, option, value), option)
  }

  /// For `CURLOPT_WRITEFUNCTION` and `CURLOPT_HEADERFUNCTION`.
  func set(_ option: CURLoption, _ function: curl_write_callback) throws(FetchError) {
    try check(unsafe curl_set_data_function(pointer, option, function), option)
  }

  func setProgress(_ function: curl_xferinfo_callback) throws(FetchError) {
    try check(unsafe curl_set_progress_function(pointer, function), CURLOPT_XFERINFOFUNCTION)
  }

  func setOpenSocket(_ function: curl_opensocket_callback) throws(FetchError) {
    try check(unsafe curl_set_open_socket_function(pointer, function), CURLOPT_OPENSOCKETFUNCTION)
  }

  /// Has `function` called before each request, when there is a connection.
  func setRequest(_ function: curl_prereq_callback) throws(FetchError) {
    try check(unsafe curl_set_request_function(pointer, function), CURLOPT_PREREQFUNCTION)
  }

  /// Has `function` called with the OpenSSL context of each new connection.
  func setTLSContext(_ function: curl_ssl_ctx_callback) throws(FetchError) {
    try check(unsafe curl_set_ssl_context_function(pointer, function), CURLOPT_SSL_CTX_FUNCTION)
  }

  /// Has `function` called from `listen` on.
  func setDebug(_ function: curl_debug_callback) throws(FetchError) {
    try check(unsafe curl_set_debug_function(pointer, function), CURLOPT_DEBUGFUNCTION)
  }

  /// Has all that comes and goes told, as it is on the wire but for TLS and HTTP/2. libcurl then also words
  /// what it does, letter by letter, which most transfers can do without.
  func listen() throws(FetchError) { try set(CURLOPT_VERBOSE, 1) }

  func number(_ info: CURLINFO) -> Int {
    var value: curl_off_t = 0
    return unsafe curl_get_offset(pointer, info, &value) == CURLE_OK ? Int(value) : 0
  }

  func long(_ info: CURLINFO) -> Int {
    var value = 0
    return unsafe curl_get_long(pointer, info, &value) == CURLE_OK ? value : 0
  }

  func string(_ info: CURLINFO) -> String? {
    var value: UnsafePointer<CChar>?
    guard unsafe curl_get_string(pointer, info, &value) == CURLE_OK else { return nil }
    return unsafe value.map { unsafe String(cString: $0) }
  }

  /// Has libcurl read nothing more of the body until `resume`. What it has read is handed out still, or kept.
  func pause() {
    // With one direction alone it would look at the connection once more, and read from it.
    _ = unsafe curl_easy_pause(pointer, CURLPAUSE_RECV | CURLPAUSE_SEND)
  }

  /// Goes on after `pause`, first with what libcurl has kept, which it hands out before this returns.
  /// - Returns: what the transfer ends with; `CURLE_OK` if it goes on.
  func resume() -> CURLcode { unsafe curl_easy_pause(pointer, CURLPAUSE_CONT) }

  /// The connection that it has now; nil where there is none, or one without TLS.
  var tls: TLSConnection? { unsafe TLSConnection(curl_get_tls(pointer)) }

  /// The ends of its connection; nil where it has had none.
  var ends: Connection.Ends? {
    guard let address = string(CURLINFO_PRIMARY_IP).flatMap(IPAddress.init(_:)) else { return nil }
    return Connection.Ends(
      localPort: long(CURLINFO_LOCAL_PORT), address: address, port: long(CURLINFO_PRIMARY_PORT))
  }

  /// What was set as `CURLOPT_PRIVATE` of `handle`.
  static func owner(of handle: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    var owner: UnsafePointer<CChar>?
    guard unsafe curl_get_string(handle, CURLINFO_PRIVATE, &owner) == CURLE_OK else { return nil }
    return unsafe UnsafeMutableRawPointer(mutating: owner)
  }

  /// Whether `handle` is a transfer without a connection as yet, be it a new one or one that was there
  /// before.
  static func isConnecting(_ handle: UnsafeMutableRawPointer?) -> Bool {
    var address: UnsafePointer<CChar>?
    guard unsafe owner(of: handle) != nil else { return false }
    guard unsafe curl_get_string(handle, CURLINFO_PRIMARY_IP, &address) == CURLE_OK else { return false }
    return unsafe address.map { unsafe $0.pointee == 0 } ?? true
  }

  private func check(_ code: CURLcode, _ option: CURLoption) throws(FetchError) {
    guard code == CURLE_OK else {
      throw .resourcesExhausted(detail: "libcurl refuses option \(option.rawValue) (error \(code.rawValue))")
    }
  }
}
