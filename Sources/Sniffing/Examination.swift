/// What the bytes of a body say, as far as they are there.
package enum Examination: Hashable, Sendable {
  /// iOS takes it.
  case accepted(MediaFormat)
  /// iOS does not take it. `name` is for people and says what it is instead: "WebP image", "HTML page".
  case rejected(name: String)
  /// Too early to say: examine again once `needs` bytes are there, or the body is complete.
  ///
  /// `needs` is more than was available, by steps of 4 KB. It may be more than the body will ever have
  /// (a hostile length field): it is a question, not an allocation.
  case undecided(needs: Int)
}
