package import Notifications
package import Supporting

/// Why keys could not be read. Never contains a key.
package enum KeyFileError: Error, Equatable, CustomStringConvertible {
  case unreadable(path: String, detail: String)
  case exposed(path: String, FileExposure)
  case tooLarge(path: String, maximum: Int)
  /// The file starts with U+FEFF, which some editors write.
  case byteOrderMark(path: String)
  /// The path is a link into another directory.
  case leadsAway(path: String)
  case notJSON(path: String, at: JSONPosition?)
  /// The record of a key is invalid. `expected` says what would have been right.
  case recordInvalid(path: String, keyID: String, expected: String)
  case duplicate(path: String, keyID: String)

  package var description: String {
    switch self {
    case .unreadable(let path, let detail): "\(path): \(detail)"
    case .exposed(let path, let exposure): "\(path): \(exposure.advice(on: path))"
    case .tooLarge(let path, let maximum):
      "\(path): it is longer than \(maximum.asBytes): use --keys-dir and several files"
    case .byteOrderMark(let path): "\(path): it starts with a byte order mark: save it as UTF-8 without one"
    case .leadsAway(let path):
      "\(path): it is a link to another directory, which the sandbox blocks: put the file itself in its place"
    case .notJSON(let path, let position):
      #"\#(path): \#(position.map { "\($0): " } ?? "")write a JSON object like {"name":{"format":"aes128gcm","key":"…"}}"#
    case .recordInvalid(let path, let keyID, let expected): "\(path): key '\(keyID)' needs \(expected)"
    case .duplicate(let path, let keyID): "\(path): there are two keys with the name '\(keyID)'"
    }
  }
}
