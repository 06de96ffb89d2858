package import Storing

/// Actions that do not fit into their payload, and go into the store as a file.
package final class ActionsFile: ArrivedMedium {
  package static let filenameExtension = "json"
  private let bytes: [UInt8]
  private let store: any MediaStore

  init(_ bytes: [UInt8], in store: any MediaStore) { (self.bytes, self.store) = (bytes, store) }

  /// - Returns: the URL of the file.
  func store() async throws(Failure) -> String {
    do throws(StoreError) {
      if let file = try await store.store(self) { return store.url(of: file.name) }
    } catch {
      throw Failure(error)
    }
    throw .storeHangs
  }

  package var mediaType: String { "application/json" }

  package func finish() throws(StoreError) -> SpooledFile? {
    var spool = try store.spools.makeSpool(announced: bytes.count)
    let bytes = bytes
    try spool.append(bytes.span)
    return try spool.finish(filenameExtension: Self.filenameExtension)
  }
}
