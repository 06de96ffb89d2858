internal import Glibc

extension DirectoryStore {
  /// The name of the test file, which exists for a moment only. A dot in front, because it is not a medium.
  private static let trialName = ".push-enricher-self-test"

  /// Tests that the file system has what a store needs, and that SHA-256 is right. Blocks on the disk.
  /// - Throws: `StoreError.unnamedFilesUnsupported`, `.linksUnsupported` or `.digestUnavailable`; or any
  ///   other that may be temporary, such as `.full`.
  package func testSelf() throws(StoreError) {
    if let absence { throw absence }
    // FIPS 180-4, NIST's example for one block.
    let sample = Array("abc".utf8)
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    var file = try makeFile()
    try file.append(sample.span)
    let finished = try finish(file, filenameExtension: "")
    guard finished.stored.sha256 == digest else { throw .digestUnavailable }
    try tryLink(finished.descriptor.number)
  }

  /// Gives `file` a name for a moment. Another process may be trying the same.
  private func tryLink(_ file: Int32) throws(StoreError) {
    // Left behind by a process that was killed in that moment.
    remove(Self.trialName)
    defer { remove(Self.trialName) }
    _ = try link(file, as: Self.trialName)
  }
}
