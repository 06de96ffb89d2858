package import Storing
internal import Supporting

extension S3Store {
  /// The name of the object that tests the bucket. It stays there, because the key need not have the
  /// right to delete, and each test replaces it. The dot shows that it is not a medium.
  static let trialName = ".push-enricher-test"

  package func tryOut(bytes: Int) async throws(StoreError) {
    let file = try await settings.disk.run { [spools] () throws(StoreError) in
      var spool = try spools.makeSpool()
      let piece = [UInt8](repeating: 0, count: min(bytes, 65_536))
      var rest = bytes
      while rest > 0 {
        try spool.append(piece.span.extracting(first: rest))
        rest -= piece.count
      }
      return try spool.finish(filenameExtension: "")
    }
    let request = S3Request(
      name: Self.trialName, headers: Self.headers(mediaType: "application/octet-stream"),
      body: .file(file), payloadSHA256: file.stored.sha256)
    let start = ContinuousClock.now
    do throws(S3Failure) {
      _ = try await exchange.perform(request, until: start + Self.patience)
      pace.note(bytes, took: .now - start)
    } catch {
      throw StoreError(error, at: location)
    }
  }
}
