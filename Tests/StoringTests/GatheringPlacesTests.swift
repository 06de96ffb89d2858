@testable import Storing
import Supporting
import TestSupport
import Testing

@Suite("Files that are announced as short")
struct GatheringPlacesTests {
  @Test("are gathered, a few at once, and leave their places to others")
  func places() {
    let places = GatheringPlaces()
    #expect(Self.free(places) == GatheringPlaces.count)
    let place = places.take(for: 1)
    #expect(Self.free(places) == GatheringPlaces.count - 1)
    _ = consume place
    #expect(Self.free(places) == GatheringPlaces.count)
    #expect(!Self.hasPlace(places, for: nil))
    #expect(!Self.hasPlace(places, for: GatheringPlaces.largestFile + 1))
  }

  @Test(
    "have all their bytes, also when another length was announced", arguments: [0, 1, 20_000, 40_000, 65_536])
  func lengths(announced: Int) async throws {
    let body = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try await withTemporaryDirectory { folder in
      let store = try DirectoryStore(path: folder.path)
      var file = try store.makeFile(announced: announced)
      for start in stride(from: 0, to: body.count, by: 7_000) {
        let end = min(start + 7_000, body.count)
        try file.append(body[start..<end].span)
        var buffer = [UInt8](repeating: 0, count: body.count)
        var span = buffer.mutableSpan
        let count = file.read(at: 0, into: &span)
        #expect(Array(buffer[..<count]) == Array(body[..<end]))
      }
      let stored = try store.keep(file, filenameExtension: "jpg")
      #expect(try Files.read(folder.path(of: stored.name)) == body)
      #expect(stored.sha256 == Self.digest(of: body))
    }
  }

  private static func digest(of bytes: [UInt8]) -> String? {
    SHA256.digest(of: bytes.span).map { String(hexadecimal: $0.span) }
  }

  private static func hasPlace(_ places: GatheringPlaces, for announced: Int?) -> Bool {
    let place = places.take(for: announced)
    return place != nil
  }

  /// How many can be taken, all of which are given back.
  private static func free(_ places: GatheringPlaces) -> Int {
    let place = places.take(for: 1)
    if place == nil { return 0 }
    let others = free(places)
    _ = consume place
    return 1 + others
  }
}
