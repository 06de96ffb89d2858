package import Decrypting
package import Fetching
package import Sniffing
package import Storing

/// Why there is no enricher.
package enum SetupError: Error, Equatable {
  case fetching(FetchError)
  case sniffing(SnifferError)
  case keys(KeyFileError)
  /// The ciphers failed their self-test.
  case decrypting(DecryptingError)
  /// The store's file system, or SHA-256, failed its self-test.
  case storing(StoreError)
}
