/// Why nothing was sealed. Says what would be right.
package enum SealingError: Error, Equatable {
  case keys(KeyFileError)
  case keyUnknown(String)
  /// `expected` says what would be.
  case keyUnsuitable(String, expected: String)
  /// The content is no JSON object.
  case notAnObject
  /// A name of a key that the format has no room for, or no memory.
  case failed
}

extension SealingError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .keys(let error): "\(error)"
    case .keyUnknown(let keyID): "there is no key '\(keyID)' in what --keys names"
    case .keyUnsuitable(let keyID, let expected): "the key '\(keyID)' is not for this: \(expected)"
    case .notAnObject:
      #"the content is no JSON object: write one like {"title":"Alice","body":"Look!","media":[…]}"#
    case .failed: "it cannot be encrypted so: the name of a key for JWE has letters, digits and -._~ only"
    }
  }
}
