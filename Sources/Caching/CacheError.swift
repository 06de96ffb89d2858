internal import Glibc
internal import Supporting

/// Why a cache file cannot be used. The only consequence is that files are fetched again.
package enum CacheError: Error, Equatable, CustomStringConvertible {
  case notAFile(path: String)
  /// The file holds something else, which must not be overwritten.
  case notACache(path: String)
  /// The file has other names as well, so it may be something that must not be overwritten.
  case linked(path: String, names: Int)
  case foreign(path: String, owner: UInt32)
  /// Other users may write to it. `mode` is as in chmod(1).
  case writable(path: String, mode: UInt32)
  case failed(operation: String, path: String, code: Int32)

  package var description: String {
    switch self {
    case .notAFile(let path): "the cache \(path) is not a file: remove it"
    case .notACache(let path):
      "the file \(path) is not a cache of push-enricher and stays as it is: name another file with --cache-file, or remove this one if nobody needs it"
    case .linked(let path, let names):
      "the cache \(path) is a file with \(names) names, so it may be another file: remove this name"
    case .foreign(let path, let owner):
      "the cache \(path) belongs to user \(owner), who could exchange media: remove it"
    case .writable(let path, let mode):
      "others may write to the cache \(path) (mode \(String(mode, radix: 8))): chmod 600 \(path), or remove it"
    case .failed(let operation, let path, let code):
      "\(operation) the cache \(path) failed (\(String(errno: code))): "
        + "check its disk and its permissions, or remove it"
    }
  }
}
