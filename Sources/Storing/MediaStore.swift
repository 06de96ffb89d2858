/// Keeps verified media, each under a name made from its content: the seam for stores. `DirectoryStore` is
/// the first. A further store is one type like it, and a row that opens it (`StoreKind.known`).
package protocol MediaStore: AnyObject, Sendable {
  /// Where media for this store arrive.
  var spools: SpoolDirectory { get }

  /// Keeps a medium under its name. Once this returns a file, its URL works; if the store is durable, neither
  /// a power cut nor the end of the process removes it. The same content is always one file.
  ///
  /// A payload does not wait for this beyond its deadline, and nobody hears a later answer. So the store has
  /// a medium whole or not at all, and holds nothing else of it when this returns.
  /// - Parameter medium: to be finished once, on `StoreSettings.disk`.
  /// - Returns: nil if the medium was refused when it was finished.
  /// - Throws: `StoreError`, whose extent says whether other media can be stored.
  func store(_ medium: any ArrivedMedium) async throws(StoreError) -> StoredFile?

  /// The URL by which an app finds the file `name`.
  func url(of name: String) -> String

  /// Whether the file `name` is there, with `size` bytes. It counts as used from now on, and stays for as
  /// long as a result that names it is on its way.
  func touch(_ name: String, size: Int) async -> Bool

  /// Tries whether a medium of `bytes` can be stored now, and leaves nothing. 0 asks whether any ever could.
  func tryOut(bytes: Int) async throws(StoreError)
}

/// A medium whose body has arrived in a spool.
package protocol ArrivedMedium: AnyObject, Sendable {
  /// Verifies the body, and writes what is only buffered. Called once; blocks on the disk.
  /// - Returns: nil if the medium is refused. It knows why itself.
  func finish() throws(StoreError) -> SpooledFile?
}
