import Notifications
import Testing

@Suite struct TypeHintTests {
  @Test(
    arguments: [
      ("image", .family), ("Video", .family), ("audio", .family), ("movie", .family),
      ("photo", .family), ("Picture", .family),
      ("image/jpeg", .mimeType),
      ("text/html; charset=utf-8", .mimeType), ("image/", .mimeType), ("public.jpeg", .uniformTypeIdentifier),
      ("com.compuserve.gif", .uniformTypeIdentifier), ("PUBLIC.MPEG-4", .uniformTypeIdentifier),
      ("jpg", .filenameExtension),
      (".JPG", .filenameExtension), ("mp3", .filenameExtension), ("mpeg4", .filenameExtension),
      ("photo.jpg", .unknown),
      ("", .unknown), (".", .unknown), ("jpg.", .unknown), ("public.", .unknown), ("a picture", .unknown),
      ("größe", .unknown),
      ("something-long", .unknown),
    ] as [(String, TypeHint.Kind)])
  func kinds(text: String, kind: TypeHint.Kind) {
    let hint = TypeHint(text)
    #expect(hint.kind == kind)
    #expect(hint.text == text)
  }
}
