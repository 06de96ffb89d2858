/// Names images in boxes whose brand is unknown (ISO/IEC 23008-12, 10.2).
enum PictureItem {
  /// Returns nil if the file has no index of images: a box `meta` whose handler is `pict`.
  static func name(in body: inout Body) throws(Shortage) -> String? {
    guard let brands = try Box(at: 0, in: &body) else { return nil }
    var offset = brands.end
    for _ in 0..<24 {
      guard let box = try Box(at: offset, in: &body) else { return nil }
      if box.type == "meta" {
        // The handler comes first, after the version and the flags.
        guard let handler = try Box(at: box.content + 4, in: &body), handler.type == "hdlr" else {
          return nil
        }
        guard try body.has("pict".utf8, at: handler.content + 8) else { return nil }
        return try name(by: brands, in: &body)
      }
      offset = box.end
    }
    return nil
  }

  private static func name(by brands: Box, in body: inout Body) throws(Shortage) -> String {
    for offset in stride(from: brands.content, to: min(brands.end, brands.content + 80), by: 4) {
      if let name = try codecs[body.code(at: offset) ?? ""] { return name }
    }
    return "HEIF image"
  }

  private static let codecs = [
    "avif": "AVIF image", "avis": "AVIF image sequence", "MA1B": "AVIF image", "MA1A": "AVIF image",
    "heic": "HEIC image", "heix": "HEIC image", "MiHE": "HEIC image", "MiHB": "HEIC image",
    "avci": "HEIF image in H.264", "jpeg": "HEIF image in JPEG", "vvic": "HEIF image in VVC",
  ]
}
