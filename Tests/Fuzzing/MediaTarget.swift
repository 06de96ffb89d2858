import Sniffing

/// Media, to the extent that the program parses them: boxes of MP4, tags of ID3, chunks, frames.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe Input(start, count)
  let bytes = input.bytes
  func read(_ offset: Int, _ buffer: inout MutableSpan<UInt8>) -> Int {
    let piece = bytes.dropFirst(offset).prefix(buffer.count)
    for (index, byte) in piece.enumerated() { buffer[index] = byte }
    return piece.count
  }
  let answers = [false, true].map { isComplete in
    var examination = MediaExamination()
    let verdicts = (0..<2).map { _ in
      sniffer.map {
        examination.proceed(available: bytes.count, isComplete: isComplete, with: $0) { read($0, &$1) }
      }
    }
    Input.require(verdicts[0] == verdicts[1], "the second verdict is not the first")
    return verdicts[0]
  }
  _ = FileEnd.examine(size: bytes.count) { read($0, &$1) }
  if case .undecided(let needs) = answers[0] {
    Input.require(needs > bytes.count, "the sniffer asks for bytes that it already has")
  }
  if case .undecided = answers[1] { Input.require(false, "it waits for bytes that never come") }
  return 0
}

private let sniffer = try? Sniffer()
