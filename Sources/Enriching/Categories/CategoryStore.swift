package import Notifications
internal import Supporting

/// The categories of a file. Rereads them on changes. If that fails, keeps the old ones.
final class CategoryStore: Sendable {
  private let files: ReloadedFiles<Categories, CategoriesFileError>

  /// - Parameter warn: gets a sentence if a new file cannot be used.
  init(_ path: String, warn: @escaping @Sendable (String) -> Void) throws(CategoriesFileError) {
    files = try ReloadedFiles(
      label: "push-enricher.categories", warn: { warn("the old categories stay in use: \($0)") },
      stamps: { [path: FileStamp(of: path)] },
      read: { () throws(CategoriesFileError) in
        let (categories, stamp) = try Self.read(path)
        return (categories, [path: stamp])
      })
  }

  func current() async -> Categories { await files.content() }

  private static func read(_ path: String) throws(CategoriesFileError) -> (Categories, FileStamp) {
    let file = try SettingsFile.read(
      path, atMost: Categories.maximumLength, as: { CategoriesFileError(path: path, $0) }
    ) { (bytes) throws(CategoriesFileError) in
      try rethrowing(as: { CategoriesFileError(path: path, .invalid($0)) }) { () throws(CategoriesError) in
        try Categories(bytes)
      }
    }
    return (file.content, file.stamp)
  }
}

/// Why a file of categories cannot be used.
package struct CategoriesFileError: Error, Equatable, CustomStringConvertible {
  package enum Cause: Equatable, Sendable {
    case unreadable(String)
    case tooLarge
    /// The path is a link into another directory.
    case leadsAway
    case invalid(CategoriesError)
  }

  package let path: String
  package let cause: Cause

  package init(path: String, _ cause: Cause) { (self.path, self.cause) = (path, cause) }

  package var description: String {
    switch cause {
    case .unreadable(let detail): "\(path): \(detail)"
    case .tooLarge: "\(path): it is longer than \(Categories.maximumLength.asBytes): remove categories"
    case .leadsAway:
      "\(path): it is a link to another directory, which the sandbox blocks: put the file itself in its place"
    case .invalid(let error): "\(path): \(error)"
    }
  }
}

extension CategoriesFileError {
  fileprivate init(path: String, _ trouble: SettingsFile.Trouble) {
    let cause: Cause =
      switch trouble {
      case .unreadable(let detail): .unreadable(detail)
      case .tooLarge: .tooLarge
      case .leadsAway: .leadsAway
      }
    self.init(path: path, cause)
  }
}
