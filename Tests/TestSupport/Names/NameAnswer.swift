/// What a `NameServer` does about a name: a row for each way in which names fail, lie or attack.
package indirect enum NameAnswer: Hashable, Sendable {
  /// These IPv4 addresses to a question for A, these IPv6 addresses to one for AAAA, each with this time to
  /// live in seconds. An empty list is the answer "the name is there, but has no such record".
  case addresses([String], v6: [String] = [], ttl: UInt32 = 60)
  /// An alias (CNAME) for another name, with that name's addresses in the same answer, as resolvers send
  /// them.
  case alias(of: String, [String], v6: [String] = [], ttl: UInt32 = 60)
  /// NXDOMAIN: there is no such name.
  case nameError
  /// SERVFAIL.
  case serverFailure
  /// REFUSED.
  case refused
  /// Never a word.
  case silence
  /// The answer, this much later.
  case late(Duration, NameAnswer)
  /// One after the other, the last one from then on; A and AAAA are counted apart. A public address first and
  /// loopback next is a rebinding attack.
  case inTurn([NameAnswer])
  /// One answer to questions for A, another to those for AAAA.
  case perFamily(v4: NameAnswer, v6: NameAnswer)
  /// The answer with another identifier than the question's, as a blind forger sends it.
  case wrongIdentifier(NameAnswer)
  /// No records and the truncation bit: the client should ask again over TCP, where nobody answers.
  case truncated
  /// The same, with this answer over TCP.
  case overTCP(NameAnswer)
  /// The answer, cut off in the middle of its last record.
  case cutShort(NameAnswer)
}
