/// What libmagic says about some bytes.
struct MagicOpinion {
  /// Nil for `application/octet-stream`.
  let mimeType: String?
  /// Set only if there is no MIME type. May quote the bytes.
  let description: String?
  /// Why libmagic could not be asked.
  var trouble: SnifferError?

  /// A reliable name: the signatures of these types do not occur by chance.
  var certainName: String? { mimeType.flatMap { MagicNames.names[$0] } }

  /// A name that is better than none. If it is an accepted type, the rules have refused the file,
  /// and they know these types better than libmagic does.
  var likelyName: String? {
    guard let mimeType else { return nil }
    if MediaFormat.allCases.contains(where: { $0.mimeTypes.contains(mimeType) }) {
      return "damaged or unusual \(mimeType)"
    }
    let parts = mimeType.split(separator: "/", maxSplits: 1)
    guard parts.count == 2, ["audio", "image", "video"].contains(parts[0]) else { return mimeType }
    return "\(parts[1].hasPrefix("x-") ? parts[1].dropFirst(2) : parts[1]) \(parts[0])"
  }

  /// libmagic recognizes MP3 by the first frame alone. It recognizes COM programs and TTComp archives by bytes that
  /// half a frame of MP3 starts with once in a hundred times. More of the body has to decide.
  var isWeak: Bool {
    mimeType.map { MediaFormat.mp3.mimeTypes.contains($0) || Self.weak.contains($0) } ?? false
  }

  private static let weak: Set = ["application/x-dosexec", "application/x-compress-ttcomp"]

  /// The first words of the description, in printable ASCII. Mostly a guess.
  var guessedName: String? {
    guard let description, description != "data" else { return nil }
    let start = description.utf8.prefix { $0 != UInt8(ascii: ",") && 0x20..<0x7f ~= $0 }.prefix(60)
    return start.isEmpty ? nil : String(decoding: start, as: UTF8.self)
  }
}

extension MagicOpinion {
  /// Opens the cookie if it is nil. If that fails, `trouble` says why.
  init(of bytes: [UInt8], asking cookie: inout MagicCookie?) {
    do throws(SnifferError) {
      if cookie == nil { cookie = try .tested() }
    } catch {
      self.init(mimeType: nil, description: nil, trouble: error)
      return
    }
    let mimeType = cookie?.mimeType(of: bytes) ?? nil
    let isKnown = mimeType != nil && mimeType != "application/octet-stream"
    let description = isKnown ? nil : cookie?.description(of: bytes) ?? nil
    self.init(mimeType: isKnown ? mimeType : nil, description: description)
  }
}
