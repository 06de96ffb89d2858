/// The seam for stores, which keep verified media, each under a name made from its content. To add
/// a store, write a type like `DirectoryStore` and a row that opens it (`StoreKind`).
package protocol MediaStore: AnyObject, Sendable {
  /// Where media for this store arrive.
  var spools: SpoolDirectory { get }

  /// Keeps a medium under its name. Once this returns a file, its URL works. If the store is
  /// durable, the file survives a power cut and the end of the process. The same content is always
  /// one file.
  ///
  /// A payload stops waiting at its deadline, and ignores a later answer. So a store keeps a medium
  /// whole or not at all, and nothing else of it is left when this returns.
  /// - Parameter medium: call its `finish` once, on `StoreSettings.disk`.
  /// - Returns: nil if `finish` refused the medium.
  /// - Throws: `StoreError`, whose extent says whether other media can be stored.
  func store(_ medium: any ArrivedMedium) async throws(StoreError) -> StoredFile?

  /// The URL at which an app finds the file `name`.
  func url(of name: String) -> String

  /// Whether the file `name` exists and has `size` bytes. If so, it counts as used now, and stays
  /// while a result that names it is on its way.
  func touch(_ name: String, size: Int) async -> Presence

  /// How long storing a medium of `bytes` would take now, estimated from the most recent media. Zero if that is
  /// not known, or if it is too short to matter.
  func timeToStore(_ bytes: Int) -> Duration

  /// Tests whether a medium of `bytes` can be stored now. 0 only tests whether a file can be made.
  func tryOut(bytes: Int) async throws(StoreError)
}

extension MediaStore {
  package func timeToStore(_ bytes: Int) -> Duration { .zero }
}

/// Whether a store has a file.
package enum Presence: Sendable {
  case present
  /// It has no such file, or one of another size.
  case absent
  /// The store did not say, or the file may be removed soon. It may be usable again later.
  case unknown
}

/// A medium whose body has arrived in a spool.
package protocol ArrivedMedium: AnyObject, Sendable {
  /// The media type (RFC 6838) of a finished medium, such as `image/jpeg`.
  var mediaType: String { get }

  /// Verifies the body, and writes what is still buffered. Call it once. Blocks on the disk.
  /// - Returns: nil if the medium is refused. The medium itself knows why.
  func finish() throws(StoreError) -> SpooledFile?
}
