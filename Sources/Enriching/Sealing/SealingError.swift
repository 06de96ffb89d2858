/// Why nothing was sealed, and what would be right.
package enum SealingError: Error, Equatable {
  case keys(KeyFileError)
  case keyUnknown(String)
  /// `expected` says which key would be right.
  case keyUnsuitable(String, expected: String)
  /// The content is not a JSON object.
  case notAnObject
  /// The name of the key does not fit the format, or there is no memory.
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
