/// What libmagic takes some bytes for.
struct MagicOpinion {
  /// nil for `application/octet-stream`.
  let mimeType: String?
  /// Asked for only where there is no MIME type. May quote the bytes.
  let description: String?
  /// Why libmagic could not be asked.
  var trouble: SnifferError?

  /// A name that can be relied on: the type is known for a signature that chance does not produce.
  var certainName: String? {
    mimeType.flatMap { MagicNames.names[$0] }
  }

  /// A name that is better than none.
  ///
  /// The rules know every accepted type better than libmagic does, so its word for one of those only means
  /// that they found it wanting.
  var likelyName: String? {
    guard let mimeType else { return nil }
    let parts = mimeType.split(separator: "/", maxSplits: 1)
    if MediaFormat.allCases.contains(where: { $0.mimeTypes.contains(mimeType) }) {
      return "damaged or unusual \(mimeType)"
    }
    guard parts.count == 2, ["audio", "image", "video"].contains(parts[0]) else { return mimeType }
    let subtype = parts[1].hasPrefix("x-") ? parts[1].dropFirst(2) : parts[1]
    return "\(subtype) \(parts[0])"
  }

  /// The first words of the description, in printable ASCII. libmagic guesses most where it knows no MIME
  /// type.
  var guessedName: String? {
    guard let description, description != "data" else { return nil }
    let start = description.utf8.prefix { $0 != UInt8(ascii: ",") && 0x20..<0x7f ~= $0 }.prefix(60)
    return start.isEmpty ? nil : String(decoding: start, as: UTF8.self)
  }
}
