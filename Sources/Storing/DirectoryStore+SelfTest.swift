internal import Glibc

extension DirectoryStore {
  /// The name of the test file, which exists for a moment only. A dot in front, because it is not a medium.
  private static let trialName = ".push-enricher-self-test"

  /// Tests that the file system has what a store needs, and that SHA-256 is right. Blocks on the disk.
  /// - Throws: `StoreError.unnamedFilesUnsupported`, `.linksUnsupported` or `.digestUnavailable`; or any
  ///   other that may be temporary, such as `.full`.
  package func testSelf() throws(StoreError) {
    // FIPS 180-4, NIST's example for one block.
    let sample = Array("abc".utf8)
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    var file = try makeFile()
    try file.append(sample.span)
    let finished = try finish(file, filenameExtension: "")
    guard finished.stored.sha256 == digest else { throw .digestUnavailable }
    try tryLink(finished.descriptor.number)
  }

  /// Tests whether a medium of `bytes` can be stored now. Nothing is left of it. Blocks on the disk.
  package func tryOut(bytes: Int) throws(StoreError) {
    if let absence { throw absence }
    try testSelf()
    var file = try makeFile()
    let piece = [UInt8](repeating: 0, count: 65_536)
    for start in stride(from: 0, to: bytes, by: piece.count) {
      try file.append(piece.span.extracting(first: bytes - start))
    }
    _ = try file.finish()
  }

  /// Gives `file` a name for a moment. Another process may be trying the same.
  private func tryLink(_ file: Int32) throws(StoreError) {
    // Left behind by a process that was killed in that moment.
    remove(Self.trialName)
    defer { remove(Self.trialName) }
    _ = try link(file, as: Self.trialName)
  }
}
