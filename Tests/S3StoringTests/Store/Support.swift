import Storing
import TestSupport

@testable import S3Storing

/// A medium of these bytes.
final class TestMedium: ArrivedMedium {
  let bytes: [UInt8]
  let spools: SpoolDirectory
  let mediaType = "image/jpeg"

  init(_ bytes: [UInt8], in spools: SpoolDirectory) { (self.bytes, self.spools) = (bytes, spools) }

  func finish() throws(StoreError) -> SpooledFile? {
    var spool = try spools.makeSpool(announced: bytes.count)
    let bytes = bytes
    try spool.append(bytes.span)
    return try spool.finish(filenameExtension: "jpg")
  }
}

extension S3Store {
  @discardableResult func store(_ bytes: [UInt8]) async throws(StoreError) -> StoredFile {
    guard let file = try await store(TestMedium(bytes, in: spools)) else { throw .digestUnavailable }
    return file
  }
}

/// What a test may change about a store.
struct StoreChoice {
  /// Replaces the default, which leads to the server.
  var place: String?
  var environment = S3Server.environment
  var settings = StoreSettings()
}

/// Runs `body` with a store in a bucket of a server.
/// - Parameter body: also gets the directory of the spools.
func withStore<Result: Sendable>(
  _ choice: (S3Server) -> StoreChoice = { _ in StoreChoice() },
  _ body: (S3Server, S3Store, TemporaryDirectory) async throws -> Result
) async throws -> Result {
  try await withTemporaryDirectory { folder in
    try await withS3Server { server in
      let choice = choice(server)
      let kinds = [StoreKind.s3(choice.environment)]
      let place = try kinds.place(choice.place ?? server.place(), spool: folder.path)
      guard let store = try place.open(choice.settings) as? S3Store else {
        throw StoreError.digestUnavailable
      }
      return try await body(server, store, folder)
    }
  }
}
