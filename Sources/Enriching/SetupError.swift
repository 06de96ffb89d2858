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
  /// The ciphers failed their self-test.
  case decrypting(DecryptingError)
}
