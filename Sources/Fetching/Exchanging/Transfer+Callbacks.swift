internal import CCurl

extension Transfer {
  /// Makes libcurl call this transfer, which must live as long as its handle.
  func setCallbacks() throws(FetchError) {
    let code = unsafe curl_set_callbacks(
      easy.pointer, Unmanaged.passUnretained(self).toOpaque(),
      { start, size, count, transfer in
        unsafe Transfer.of(transfer).take(line: Span(_unsafeElements: bytes(start, size * count)))
          ? size * count : 0
      },
      { start, size, count, transfer in
        unsafe Transfer.of(transfer).take(piece: Span(_unsafeElements: bytes(start, size * count)))
          ? size * count : 0
      },
      { transfer, _, _, _, _ in unsafe Transfer.of(transfer).progress() ? 0 : 1 },
      { _, kind, start, count, transfer in
        unsafe Transfer.of(transfer).take(kind, Span(_unsafeElements: bytes(start, count)))
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
    // Set by `setCallbacks`. The loop holds the transfer for as long as libcurl holds the handle.
    unsafe Unmanaged<Transfer>.fromOpaque(pointer.unsafelyUnwrapped).takeUnretainedValue()
  }
}

private func bytes(_ start: UnsafeMutablePointer<CChar>?, _ count: Int) -> UnsafeBufferPointer<UInt8> {
  unsafe UnsafeRawBufferPointer(start: start, count: count).bindMemory(to: UInt8.self)
}
