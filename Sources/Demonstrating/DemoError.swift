/// Why the demo cannot run here, and what to do about it, in one sentence: status 64.
package struct DemoError: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
