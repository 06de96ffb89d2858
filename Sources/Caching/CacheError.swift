internal import Glibc
internal import Supporting

/// Why a cache file cannot be used. The only consequence is that files are fetched again.
package enum CacheError: Error, Equatable, CustomStringConvertible {
  case notAFile(path: String)
  case failed(operation: String, path: String, code: Int32)

  package var description: String {
    switch self {
    case .notAFile(let path): "the cache \(path) is no file: remove what stands there"
    case .failed(let operation, let path, let code):
      "\(operation) the cache \(path) failed (\(String(errno: code))): "
        + "see to its disk and its permissions, or remove it"
    }
  }
}
