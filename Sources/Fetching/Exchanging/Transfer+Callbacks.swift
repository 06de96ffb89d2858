internal import CCurl

extension Transfer {
  /// Has libcurl call this transfer, which holds the handle for as long as libcurl does.
  func setCallbacks() throws(FetchError) {
    let code = unsafe curl_set_callbacks(
      easy.pointer, Unmanaged.passUnretained(self).toOpaque(),
      { start, size, count, transfer in
        unsafe withBytes(start, size * count) { unsafe Transfer.of(transfer).take(line: $0) }
          ? size * count : 0
      },
      { start, size, count, transfer in
        unsafe withBytes(start, size * count) { unsafe Transfer.of(transfer).take(piece: $0) }
          ? size * count : 0
      },
      { transfer, _, _, _, _ in unsafe Transfer.of(transfer).progress() ? 0 : 1 },
      { _, kind, start, count, transfer in
        unsafe withBytes(start, count) { unsafe Transfer.of(transfer).take(kind, $0) }
        return 0
      },
      { transfer, _, wanted in
        guard let wanted = unsafe wanted else { return CURL_SOCKET_BAD }
        return unsafe Transfer.of(transfer).open(wanted)
      },
      { transfer, _, _, _, _ in
        unsafe Transfer.of(transfer).prepareRequest() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
      },
      { _, tls, transfer in
        unsafe Transfer.of(transfer).context.trust?.use(in: tls) ?? CURLE_ABORTED_BY_CALLBACK
      })
    try easy.check(code, CURLOPT_PRIVATE)
  }

  static func of(_ pointer: UnsafeMutableRawPointer?) -> Transfer {
    // Set by `setCallbacks`, and the loop holds the transfer for as long as libcurl holds the handle.
    unsafe Unmanaged<Transfer>.fromOpaque(pointer.unsafelyUnwrapped).takeUnretainedValue()
  }
}

private func withBytes<Result>(
  _ start: UnsafeMutablePointer<CChar>?, _ count: Int, _ body: (Span<UInt8>) -> Result
) -> Result {
  let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
  return unsafe body(Span(_unsafeElements: bytes.bindMemory(to: UInt8.self)))
}
