/// The path of a database file in a URL. It is not decoded.
package enum SQLitePath {
  /// Other programs take this name for a database in memory (sqlite.org/inmemorydb.html).
  private static let memory = ":memory:"

  package static func fault(of path: String) -> URLFault? {
    switch path {
    case "": URLFault("the path of its file is missing")
    case _ where path.utf8.contains(0): URLFault("the path of its file has a NUL")
    case _ where path.hasPrefix("//"): URLFault("its path follows sqlite: without //")
    case "-": URLFault("its path must name a file: for lines, write - alone")
    case memory: URLFault("its path must name a file: a queue in memory would be lost")
    case _ where path.hasSuffix("/"): URLFault("its path must name a file, not a folder")
    default: nil
    }
  }

  /// The path, or a similar one if it cannot be that of a queue.
  /// - Parameter name: the name of the file if the path names none.
  package static func right(like path: String, name: String = "push-enricher.db") -> String {
    var path = path
    if path.hasPrefix("//") {
      // Other programs write `sqlite://`. In most of them, a third slash begins an absolute path.
      let name = String(path.drop { $0 == "/" })
      path = path.hasPrefix("///") ? "/\(name)" : name
    }
    if [memory, "-"].contains(path) || path.utf8.contains(0) { path = "" }
    return path.isEmpty || path.hasSuffix("/") ? path + name : path
  }
}
