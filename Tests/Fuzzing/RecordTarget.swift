import Queueing

/// Lines of `enqueue --records` and `work --from records:-`, and bodies of `dequeue --records`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe Input(start, count)
  checkRoundTrip(Message(id: "a", body: input.bytes, headers: [Header("n", input.text)]))
  do throws(RecordError) {
    checkRoundTrip(try Message(record: input.bytes))
  } catch {
    Input.require(!"\(error)".isEmpty, "an error says nothing")
  }
  return 0
}

private func checkRoundTrip(_ message: Message) {
  let line = message.record
  let breaks = [UInt8(ascii: "\n"), UInt8(ascii: "\r")]
  Input.require(
    line.last == breaks[0] && !line.dropLast().contains(where: breaks.contains), "a record is not one line")
  guard let again = try? Message(record: line.dropLast(), maximumLength: .max) else {
    Input.require(false, "a record was not read again")
    return
  }
  // Equal strings may have other bytes.
  let isSame = again.body == message.body && again.record == line
  Input.require(isSame, "a record changed its message")
}
