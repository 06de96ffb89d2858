internal import CCurl

extension EasyHandle {
  /// Has libcurl call `transfer`, which holds the handle and `trust` for as long as libcurl has it.
  /// - Parameter trust: whom to trust; nil where no TLS is spoken.
  func setCallbacks(to transfer: Transfer, trusting trust: TrustStore?) throws(FetchError) {
    let transfer = unsafe Unmanaged.passUnretained(transfer).toOpaque()
    try unsafe set(CURLOPT_PRIVATE, pointer: transfer)
    try unsafe set(CURLOPT_HEADERDATA, pointer: transfer)
    try unsafe set(CURLOPT_WRITEDATA, pointer: transfer)
    try unsafe set(CURLOPT_XFERINFODATA, pointer: transfer)
    try unsafe set(CURLOPT_OPENSOCKETDATA, pointer: transfer)
    try unsafe set(CURLOPT_DEBUGDATA, pointer: transfer)
    try unsafe set(CURLOPT_PREREQDATA, pointer: transfer)
    try unsafe set(CURLOPT_HEADERFUNCTION) { start, size, count, transfer in
      let goesOn = unsafe withBytes(start, size * count) { unsafe Transfer.of(transfer).take(line: $0) }
      return goesOn ? size * count : 0
    }
    try unsafe set(CURLOPT_WRITEFUNCTION) { start, size, count, transfer in
      let goesOn = unsafe withBytes(start, size * count) { unsafe Transfer.of(transfer).take(piece: $0) }
      return goesOn ? size * count : 0
    }
    try unsafe setProgress { transfer, _, _, _, _ in unsafe Transfer.of(transfer).progress() ? 0 : 1 }
    try unsafe setDebug { _, kind, start, count, transfer in
      unsafe withBytes(start, count) { unsafe Transfer.of(transfer).take(kind, $0) }
      return 0
    }
    try unsafe setOpenSocket { transfer, _, wanted in
      guard let wanted = unsafe wanted else { return CURL_SOCKET_BAD }
      return unsafe Transfer.of(transfer).open(SocketRequest(wanted))
    }
    try unsafe setRequest { transfer, _, _, _, _ in
      unsafe Transfer.of(transfer).prepareRequest() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
    if let trust {
      try unsafe set(CURLOPT_SSL_CTX_DATA, pointer: Unmanaged.passUnretained(trust).toOpaque())
      try unsafe setTLSContext { _, context, trust in unsafe TrustStore.of(trust).use(in: context) }
    }
  }
}

extension Transfer {
  /// - Parameter pointer: what libcurl calls back with, or has as `CURLOPT_PRIVATE`.
  static func of(_ pointer: UnsafeMutableRawPointer?) -> Transfer {
    // Set by `setCallbacks`, and the loop holds the transfer for as long as libcurl holds the handle.
    unsafe Unmanaged<Transfer>.fromOpaque(pointer.unsafelyUnwrapped).takeUnretainedValue()
  }
}

/// Hands `body` what libcurl hands a callback.
private func withBytes<Result>(
  _ start: UnsafeMutablePointer<CChar>?, _ count: Int, _ body: (Span<UInt8>) -> Result
) -> Result {
  let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
  return unsafe body(Span(_unsafeElements: bytes.bindMemory(to: UInt8.self)))
}
