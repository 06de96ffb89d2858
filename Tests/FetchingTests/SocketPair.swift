import CLinux
import Glibc
import Testing

/// Calls `body` with the two ends of a connection, and closes them.
func withSocketPair(_ body: (_ one: Int32, _ other: Int32) throws -> Void) throws {
  var pair: [Int32] = [-1, -1]
  try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
  defer { for end in pair { close(end) } }
  try body(pair[0], pair[1])
}
