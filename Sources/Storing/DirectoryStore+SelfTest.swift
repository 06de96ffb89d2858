internal import Glibc

extension DirectoryStore {
  /// A dot in front: it is no medium, and stands there for a moment only.
  private static let trialName = ".push-enricher-self-test"

  /// Finds out whether the directory can do what a store needs, and SHA-256 is what it should be. Blocks on the disk.
  /// - Throws: `StoreError.unnamedFilesUnsupported` or `.linksUnsupported` where the file system cannot, `.digestUnavailable`; any other
  ///   that may be over later, such as `.full`.
  package func testSelf() throws(StoreError) {
    // FIPS 180-4, NIST's example for one block.
    let sample = Array("abc".utf8)
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    var file = try makeFile()
    try file.append(sample.span)
    try file.flush()
    guard try file.digest.finish(at: file.size) == digest else { throw .digestUnavailable }
    try tryLink(file.descriptor.number)
  }

  /// Gives `file` a name for a moment. Another process may be trying the same.
  private func tryLink(_ file: Int32) throws(StoreError) {
    // Of a process that was killed in that moment.
    remove(Self.trialName)
    defer { remove(Self.trialName) }
    _ = try link(file, as: Self.trialName)
  }
}
