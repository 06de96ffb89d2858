import Testing

@testable import Confining

@Suite("FileRights")
struct FileRightsTests {
  /// The last right of each version, as numbered in linux/landlock.h.
  @Test(
    "a version has its own rights and no later ones",
    arguments: [
      (1, 12), (2, 13), (3, 14), (4, 14), (5, 15), (6, 15), (7, 15), (99, 15),
    ])
  func versions(version: Int, last: Int) {
    #expect(FileRights.known(to: version).rawValue == 1 << (last + 1) - 1)
  }
}
