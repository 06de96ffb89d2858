import Sniffing
import Testing

@Suite struct MediaLabelTests {
  @Test(arguments: MediaFormat.allCases)
  func agreesWithItsOwnNames(_ format: MediaFormat) {
    #expect(format.agrees(with: .filenameExtension(format.filenameExtension)))
    #expect(format.agrees(with: .uniformTypeIdentifier(format.uniformTypeIdentifier)))
    #expect(format.agrees(with: .family(format.family)))
    #expect(!format.mimeTypes.isEmpty)
    for mimeType in format.mimeTypes {
      #expect(mimeType == mimeType.lowercased())
      #expect(format.agrees(with: .mimeType(mimeType)))
    }
  }

  /// Of all pairs of formats, only MPEG and MPEG-2 accept each other's names.
  @Test(arguments: MediaFormat.allCases, MediaFormat.allCases)
  func disagreesWithTheNamesOfOthers(_ format: MediaFormat, _ other: MediaFormat) {
    if format == other || Set([format, other]) == [.mpeg, .mpeg2] { return }
    #expect(!format.agrees(with: .filenameExtension(other.filenameExtension)))
    #expect(!format.agrees(with: .uniformTypeIdentifier(other.uniformTypeIdentifier)))
    for mimeType in other.mimeTypes { #expect(!format.agrees(with: .mimeType(mimeType))) }
  }

  static let table: [(MediaFormat, MediaLabel, Bool)] = [
    (.jpeg, .filenameExtension("JPEG"), true),
    (.jpeg, .filenameExtension(".jpg"), true),
    (.jpeg, .filenameExtension(""), true),
    (.jpeg, .filenameExtension("webp"), false),
    (.jpeg, .mimeType("image/jpeg; charset=binary"), true),
    (.jpeg, .mimeType("IMAGE/JPG"), true),
    (.jpeg, .mimeType("image/*"), true),
    (.jpeg, .mimeType("video/*"), false),
    (.jpeg, .mimeType("application/octet-stream"), true),
    (.jpeg, .mimeType("text/html"), false),
    (.png, .uniformTypeIdentifier("public.image"), true),
    (.png, .uniformTypeIdentifier("public.movie"), false),
    (.png, .uniformTypeIdentifier("public.data"), true),
    (.m4a, .uniformTypeIdentifier("com.apple.m4a-audio"), true),
    (.m4a, .mimeType("video/mp4"), false),
    (.m4a, .filenameExtension("mp4"), false),
    (.mp4, .family(.audio), false),
    (.mpeg, .mimeType("video/mpeg"), true),
    (.mpeg2, .mimeType("video/mpeg"), true),
  ]

  @Test(arguments: table)
  func agreement(_ format: MediaFormat, _ label: MediaLabel, _ agrees: Bool) {
    #expect(format.agrees(with: label) == agrees)
  }
}
