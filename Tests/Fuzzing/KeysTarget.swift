@testable import Enriching

/// Key files.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe Input(start, count)
  do throws(KeyFileError) {
    _ = try KeyFile.records(in: input.bytes, of: "keys.json")
  } catch {
    Input.require(!"\(error)".isEmpty, "an error says nothing")
  }
  return 0
}
