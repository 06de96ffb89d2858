/// Why a worker does not answer `healthcheck` as one that lives, in one sentence: status 1.
package struct ProbeError: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
