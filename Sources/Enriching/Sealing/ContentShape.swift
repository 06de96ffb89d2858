/// In which members of a payload sealed content is.
package enum ContentShape: String, CaseIterable, Sendable {
  /// `{"enc":{"v":1,…}}`
  case own = "enc"
  /// `{"ENCRYPTED_DATA":"…"}`
  case apple = "encrypted-data"
  /// `{"i":…,"m":…,"k":…,"s":…}`
  case metatext
  /// `{"p":…,"k":…,"s":…,"x":…}`
  case tootRelay = "toot-relay"
}
