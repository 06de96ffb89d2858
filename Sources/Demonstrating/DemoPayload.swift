/// A payload that the demo sends.
struct DemoPayload {
  let name: String
  /// Options of the worker that takes it.
  let arguments: [String]
  let bytes: [UInt8]
}
