/// A host that some programs read as 127.0.0.1, or as another address that is not public.
package struct LoopbackSpelling: Sendable, CustomStringConvertible {
  /// What must happen to a URL with this host if only public addresses are allowed.
  package enum Fate: Sendable, Equatable {
    /// The address that it means, and the reason why that is refused.
    case blocked(String, String)
    /// The URL is refused because it cannot have this host.
    case invalid
  }

  package let host: String
  package let fate: Fate

  package var description: String { host }

  package static let all = loopback + other + invalid

  private static let loopback = [
    "127.0.0.1", "127.1", "127.0.1", "0177.1", "0177.0.0.01", "017700000001", "0x7f.1", "0x7f.0.0.1",
    "0x7f000001", "0X7F.0x0.0X0.0x1", "2130706433", "127.000.000.001", "127.000000000000000.1",
    "１２７.0.0.1", "１２７．０．０．１", "①②⑦.⓪.⓪.①", "127。0。0。1", "localhost", "LOCALHOST", "localhost.",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "local\u{ad}host", "local\u{200b}host", "127.0.0.1.",
  ].map { LoopbackSpelling(host: $0, fate: .blocked("127.0.0.1", "loopback")) }

  private static let other = [
    ("0", "0.0.0.0", "this network"), ("127.255.255.254", "127.255.255.254", "loopback"),
    ("[::1]", "::1", "loopback"), ("[0:0:0:0:0:0:0:1]", "::1", "loopback"), ("[::]", "::", "unspecified"),
    ("[::127.0.0.1]", "::127.0.0.1", "IPv4-compatible"),
    ("[::ffff:127.0.0.1]", "::ffff:127.0.0.1", "loopback"),
    ("[::ffff:7f00:1]", "::ffff:127.0.0.1", "loopback"), ("[64:ff9b::7f00:1]", "64:ff9b::7f00:1", "NAT64"),
    ("[64:ff9b:1::7f00:1]", "64:ff9b:1::7f00:1", "NAT64, local use"),
    ("[2002:7f00:1::]", "2002:7f00:1::", "6to4"),
    ("[2001:0:7f00:1::80ff:fffe]", "2001:0:7f00:1::80ff:fffe", "IETF protocol assignments, Teredo"),
    ("[2606:4700::5efe:7f00:1]", "2606:4700::5efe:7f00:1", "loopback"),
    ("0xa9fea9fe", "169.254.169.254", "link-local, cloud metadata"),
    ("2852039166", "169.254.169.254", "link-local, cloud metadata"),
    ("0251.0376.0251.0376", "169.254.169.254", "link-local, cloud metadata"),
    ("[::ffff:a9fe:a9fe]", "::ffff:169.254.169.254", "link-local, cloud metadata"),
  ].map { LoopbackSpelling(host: $0, fate: .blocked($1, $2)) }

  private static let invalid = [
    "[::1%25x]", "[::1%25lo]", "[::1%lo]", "[fe80::1%251]", "media.example\\@127.0.0.1",
    "127.0.0.1\\@media.example", "media.example@127.0.0.1", "127.0.0.1 ", "127.0.0.1%00.media.example",
  ].map { LoopbackSpelling(host: $0, fate: .invalid) }
}
