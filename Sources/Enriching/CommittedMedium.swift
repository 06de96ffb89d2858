internal import Sniffing
internal import Storing

/// A medium in the store: verified, and durable if the store is.
struct CommittedMedium: Sendable {
  let file: StoredFile
  let format: MediaFormat
}
