/// What a file says about itself besides its format. A value is nil if the file does not state it, or has not yet.
package struct MediaFacts: Hashable, Sendable {
  /// In pixels.
  package var width: Int?
  package var height: Int?
  /// How many pictures an animation has. Each counts with the size of the whole.
  package var frames: Int?
  package var milliseconds: Int?
  /// Why iOS may not show it.
  package var warning: MediaWarning?

  package init(
    width: Int? = nil, height: Int? = nil, frames: Int? = nil, milliseconds: Int? = nil,
    warning: MediaWarning? = nil
  ) {
    (self.width, self.height, self.frames, self.milliseconds) = (width, height, frames, milliseconds)
    self.warning = warning
  }
}
