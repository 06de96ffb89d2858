/// What the bytes of a body say, as far as they are there.
package enum Examination: Hashable, Sendable {
  case accepted(MediaFormat)
  /// iOS does not take it. `name` tells people what it is instead: "WebP image", "HTML page".
  case rejected(name: String)
  /// Examine again when `needs` bytes are there, a multiple of 4 KB, or the body is complete. A hostile
  /// length field can make it more than the body will ever have, so do not allocate it.
  case undecided(needs: Int)
}
