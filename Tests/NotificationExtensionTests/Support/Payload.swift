import Foundation
import Testing

/// A payload as the system hands it to an extension.
func userInfo(_ json: String) throws -> [AnyHashable: Any] {
  try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
}
