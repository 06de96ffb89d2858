/// Why the demo cannot run here, and what to do about it, in one sentence: status 64.
struct DemoError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
