package import Caching
package import Decrypting
package import Fetching
package import Sniffing

/// Why an enricher could not be made.
package enum SetupError: Error, Equatable {
  case fetching(FetchError)
  /// The process may not open enough files and sockets for a single transfer.
  case openFiles(limit: Int)
  case sniffing(SnifferError)
  case keys(KeyFileError)
  case categories(CategoriesFileError)
  /// The file that the settings name for the cache is something else.
  case cacheFile(CacheError)
  /// The ciphers failed their self-test.
  case decrypting(DecryptingError)
}
