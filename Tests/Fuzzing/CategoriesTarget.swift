@testable import Notifications

/// A file of categories, and after byte 30 a payload that gets their actions.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe Input(start, count)
  let parts = input.bytes.split(separator: 0x1e, maxSplits: 1, omittingEmptySubsequences: false)
  do throws(CategoriesError) {
    let categories = try Categories(Array(parts[0]))
    if parts.count == 2, let payload = try? Payload(Array(parts[1])) { add(categories, to: payload) }
  } catch {
    Input.require(!"\(error)".isEmpty, "an error says nothing")
  }
  return 0
}

private func add(_ categories: Categories, to payload: Payload) {
  _ = payload.actionFindings
  // A category of encrypted content may be any text.
  for content in [nil, payload.object["actions"]?.string] {
    guard case .addition(let addition) = payload.match(in: categories, naming: content) else { continue }
    Input.require((try? JSONDocument(addition.file)) != nil, "the file of actions is not JSON")
    for url in [nil, "https://cdn.example/ü.json"] {
      let edits = addition.edits(after: [], linking: url)
      let members = payload.appending(addition.members(linking: url), after: edits)
      guard let result = try? payload.applying(edits + members) else {
        Input.require(false, "two changes overlap")
        return
      }
      let changed = try? Payload(result)
      Input.require(changed != nil || result.count > Payload.maximumLength, "the actions broke the payload")
      guard let object = changed?.object else { continue }
      Input.require(object[url == nil ? "actions" : "actions_url"] != nil, "the result lacks the actions")
      let identifier = object["aps"]?["category"]?.string
      Input.require(content != nil || identifier == addition.identifier, "the category has its old name")
    }
  }
}
