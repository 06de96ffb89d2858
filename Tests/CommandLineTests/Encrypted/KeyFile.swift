import Glibc
import TestSupport

/// The key file of Fixtures/encrypted with the mode of a user's own file. In a checkout, everybody
/// can read it.
enum KeyFile {
  /// Copies it into `folder`, and returns its path.
  static func copy(into folder: TemporaryDirectory, as name: String = "keys.json") throws -> String {
    let path = try folder.write(Files.read("\(Fixtures.root)/Fixtures/encrypted/keys.json"), to: name)
    guard unsafe chmod(path, 0o600) == 0 else { throw Failure.notOurs(path) }
    return path
  }

  enum Failure: Error { case notOurs(String) }
}

extension Push {
  /// A payload whose content is encrypted for the key `dev-7f3a`: `{"body":"Look!"}`.
  static let sealed = Array(
    #"{"aps":{"alert":"x","mutable-content":1},"enc":{"v":1,"ce":"aes128gcm","kid":"dev-7f3a","data":"9FjM5roDdla9Aij-9LUkRAAAEAAIZGV2LTdmM2H3NyASxcsCMzAL1JdW5p32Tjdg2K1eMvZNYsM4IsbFLGiB"}}"#
      .utf8)
}
