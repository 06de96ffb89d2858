/// Why the URLs of stored files cannot be written into a payload.
package enum AttachingError: Error, Equatable {
  /// The top object already has a member of that name, and a sender's member is never overwritten.
  case keyTaken(String)
  /// What the result would measure, in bytes.
  case tooLarge(size: Int, maximum: Int)
}

extension AttachingError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .keyTaken(let key):
      "the payload has a member “\(key)” already; attachments need a name of their own"
    case .tooLarge(let size, let maximum):
      "the enriched payload would be \(size) bytes, \(size - maximum) more than the \(maximum) that APNs takes"
    }
  }
}
