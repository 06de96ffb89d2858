/// What a sender of the demo sends.
struct DemoPayload {
  let name: String
  /// Options that a worker is to have for it.
  let arguments: [String]
  let bytes: [UInt8]
}
