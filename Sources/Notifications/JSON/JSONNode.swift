/// One entry of the tape on which a document keeps its values, in the order of the text. Eight bytes, so that
/// the tape of the densest text (`[1,1,1…`) is four times as long as the text and no more.
///
/// A scalar takes one entry. An array or object takes two, one for each bracket, with its children in
/// between; the entries of an object's children alternate between name and value. What kind of value it is,
/// the byte at `start` tells.
struct JSONNode: Sendable {
  /// Offset of the first byte; of the bracket itself for a closing bracket.
  var start: UInt32
  /// Scalar: the offset after the last byte. Opening bracket: the index of the entry of the closing one.
  var link: UInt32

  /// Both are offsets or indices within a text of at most `UInt32.max` bytes, which `JSONDocument` sees to.
  init(start: Int, link: Int) {
    self.start = UInt32(truncatingIfNeeded: start)
    self.link = UInt32(truncatingIfNeeded: link)
  }
}
