internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension PushCategory {
  /// The longest file, in bytes. It has the actions of one category, and push-enricher reads at most 256 KB for all.
  private static let maximumFile = 262_144

  /// Returns the category at `source`, or nil if its file cannot be read.
  static func load(
    _ source: Source, identifier: String, schemes: Set<String>, within limit: Duration = .seconds(8)
  ) async -> PushCategory? {
    switch source {
    case .payload(let category): return category
    case .file(let text):
      guard let url = URL(string: text), schemes.contains(url.scheme?.lowercased() ?? "") else { return nil }
      let data = await withTimeLimit(limit) { () -> Data? in
        let answer = try? await Exchange(atMost: maximumFile).run(URLRequest(url: url))
        return answer?.status == 200 ? answer?.body : nil
      }
      let members = data.flatMap { try? JSONDecoder().decode(Members.self, from: $0) }
      return members.flatMap { PushCategory($0, identifier: identifier) }
    }
  }
}
