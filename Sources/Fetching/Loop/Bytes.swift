/// Hands `body` what libcurl hands a callback.
func withBytes<Result, Failure: Error>(
  _ start: UnsafeMutablePointer<CChar>?, _ count: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
) throws(Failure) -> Result {
  let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
  return try unsafe body(Span(_unsafeElements: bytes.bindMemory(to: UInt8.self)))
}
