/// Keeps verified media, each under a name made from its content: the seam for stores, which `DirectoryStore` is
/// the first of. A further store is one type like it, and a row that opens it (`StoreKind.known`).
package protocol MediaStore: AnyObject, Sendable {
  /// Where media for this store arrive.
  var spools: SpoolDirectory { get }

  /// Keeps a medium under its name. Once this returns a file, the file can be fetched by its URL; if the store is
  /// durable, neither a power cut nor the end of the process takes it away. The same content may be stored again
  /// at any time, also by another process: it is one file.
  ///
  /// A payload does not wait for this beyond its deadline. What is answered later, nobody hears of: so the store
  /// has a medium whole or not at all, and holds nothing else of it when this returns.
  /// - Parameter medium: to be finished once, on `StoreSettings.disk`.
  /// - Returns: nil if the medium was refused when it was finished.
  /// - Throws: `StoreError`, whose extent says whether other media can be stored.
  func store(_ medium: any ArrivedMedium) async throws(StoreError) -> StoredFile?

  /// The URL by which an app finds the file `name`.
  func url(of name: String) -> String

  /// Whether the file `name` is there, with `size` bytes. It counts as used from now on: it stays for as long as a
  /// result that names it is on its way.
  func touch(_ name: String, size: Int) async -> Bool

  /// Tries whether a medium of `bytes` can be stored now. Nothing is left of it. With 0 this only asks whether
  /// there could be one, which is for a start.
  func tryOut(bytes: Int) async throws(StoreError)
}

/// A medium whose body has arrived in a spool.
package protocol ArrivedMedium: AnyObject, Sendable {
  /// Verifies the body, and writes what is only buffered. Called once; blocks on the disk.
  /// - Returns: nil if the medium is refused. It knows why itself.
  func finish() throws(StoreError) -> SpooledFile?
}
