extension Payload {
  /// The bytes of the payload with these members of the top object: instead of existing ones of the same
  /// name, otherwise at its end.
  /// - Parameter members: names and JSON.
  package func setting(_ members: [(name: String, json: [UInt8])]) -> [UInt8] {
    document.applying(root.edits(setting: members))
  }
}
