/// What the bytes of a body that have arrived say about it.
package enum Examination: Hashable, Sendable {
  case accepted(MediaFormat)
  /// iOS does not accept it. `name` tells people what it is instead: "WebP image", "HTML page".
  case rejected(name: String)
  /// Examine again when `needs` bytes have arrived, a multiple of 4 KB, or the body is complete. Do
  /// not allocate them: a hostile length field can ask for more than the body will ever have.
  case undecided(needs: Int)
}
