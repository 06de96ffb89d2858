internal import Supporting

extension DirectoryStore {
  /// The name of the test file, which exists for a moment. The dot shows that it is not a medium.
  private static let trialName = ".push-enricher-self-test"

  /// Tests that the file system has what a store needs, and that SHA-256 is right. Blocks on the disk.
  func testSelf() throws(StoreError) {
    // FIPS 180-4, NIST's example for one block.
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    var spool = try spools.makeSpool()
    try spool.append(Array("abc".utf8).span)
    let file = try spool.finish(filenameExtension: "")
    guard file.stored.sha256 == digest else { throw .digestUnavailable }
    // A killed process may have left the file. Another process may be running the same test.
    remove(Self.trialName)
    defer { remove(Self.trialName) }
    _ = try link(file.descriptor.number, as: Self.trialName)
  }

  package func tryOut(bytes: Int) async throws(StoreError) {
    try await spools.settings.disk.run { [self] () throws(StoreError) in
      var spool = try spools.makeSpool()
      if bytes == 0 { return }
      if let absence = spools.absence { throw absence }
      try testSelf()
      let piece = [UInt8](repeating: 0, count: 65_536)
      for start in stride(from: 0, to: bytes, by: piece.count) {
        try spool.append(piece.span.extracting(first: bytes - start))
      }
      _ = try spool.finish(filenameExtension: "")
    }
  }
}
