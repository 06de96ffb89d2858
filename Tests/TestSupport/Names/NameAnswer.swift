/// How a `NameServer` answers questions about a name. The cases are the ways in which names fail,
/// lie or attack.
package indirect enum NameAnswer: Hashable, Sendable {
  /// Answers A questions with these IPv4 addresses and AAAA questions with these IPv6 addresses.
  /// `ttl` is their time to live in seconds. An empty list means that the name exists without such
  /// a record.
  case addresses([String], v6: [String] = [], ttl: UInt32 = 60)
  /// An alias (CNAME) for another name. The answer also has the addresses of that name, as
  /// resolvers send them.
  case alias(of: String, [String], v6: [String] = [], ttl: UInt32 = 60)
  /// NXDOMAIN: there is no such name.
  case nameError
  /// SERVFAIL.
  case serverFailure
  /// REFUSED.
  case refused
  /// No answer at all.
  case silence
  /// The answer, after a delay.
  case late(Duration, NameAnswer)
  /// One answer after another; the last one is repeated. A and AAAA questions are counted
  /// separately. A public address followed by loopback is a rebinding attack.
  case inTurn([NameAnswer])
  /// One answer to A questions, another to AAAA questions.
  case perFamily(v4: NameAnswer, v6: NameAnswer)
  /// The answer with an identifier other than the question's, as a blind forger would send it.
  case wrongIdentifier(NameAnswer)
  /// No records and the truncation bit: the client should ask over TCP, where it gets no answer.
  case truncated
  /// The same, with this answer over TCP.
  case overTCP(NameAnswer)
  /// The answer, cut off in the middle of its last record.
  case cutShort(NameAnswer)
}
