internal import Enriching
internal import Fetching
internal import Notifications
internal import Queueing
internal import Sniffing
internal import Storing
internal import Supporting

/// Parses values. Each function throws a `CommandError` that says what would be right.
enum Parse {
  static func number(_ text: String, in range: ClosedRange<Int>) throws(CommandError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw CommandError("'\(text)' is not a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  static func port(_ text: String) throws(CommandError) -> Int { try number(text, in: 1...65_535) }

  static func truth(_ text: String) throws(CommandError) -> Bool {
    switch text.lowercased() {
    case "1", "true", "yes", "on": true
    case "0", "false", "no", "off", "": false
    default: throw CommandError("'\(text)' is neither true nor false")
    }
  }

  static func isWait(_ text: String) throws(CommandError) -> Bool {
    guard ["wait", "unmodified"].contains(text) else {
      throw CommandError("'\(text)' is neither unmodified nor wait")
    }
    return text == "wait"
  }

  /// Accepts a place of one of these kinds. Only directories have no scheme.
  static func store(_ text: String, among kinds: [StoreKind]) throws(CommandError) -> String {
    guard text.hasPrefix("s3://") else {
      // The text after a forgotten slash may be a secret key.
      guard !text.lowercased().hasPrefix("s3:") else {
        throw CommandError(
          "a bucket is written s3://BUCKET/PREFIX?region=REGION, and a directory with such a name ./s3:…")
      }
      guard !text.contains("://") || text.hasPrefix("file://") else {
        throw CommandError(
          "'\(text.withoutPassword)' is neither a directory nor a bucket: write a path, or s3://BUCKET/PREFIX?region=REGION"
        )
      }
      return try directory(text)
    }
    do throws(StoreError) { _ = try kinds.place(text) } catch {
      throw CommandError("\(error): \(error.advice)")
    }
    return text
  }

  static func directory(_ text: String) throws(CommandError) -> String {
    if text.hasPrefix("file://") { return String(text.dropFirst("file://".count)) }
    guard !text.contains("://"), !text.isEmpty else {
      throw CommandError("'\(text)' is not a directory: write a path, or file:// and a path")
    }
    return text
  }

  /// Accepts any scheme (RFC 3986 section 3.1), because apps may have their own. Checks the rest of
  /// HTTP URLs too.
  static func prefix(_ text: String) throws(CommandError) -> String {
    let scheme = text.utf8.prefix { $0 != UInt8(ascii: ":") }
    let rest = text.dropFirst(scheme.count)
    let isHTTP = ["http", "https"].contains(text.prefix(scheme.count).lowercased())
    // RFC 3986 section 2 allows every other visible ASCII character before a fragment.
    let excluded = ##""#<>\^`{|}"##.utf8
    guard !rest.isEmpty, scheme.first?.isASCIILetter == true,
      scheme.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) }),
      rest.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !excluded.contains($0) }),
      // A % that starts no escape would be in the URL of every result.
      rest.utf8.percentDecoded != nil,
      // libcurl accepts more or fewer slashes, but other clients do not.
      !isHTTP || rest.hasPrefix("://") && !rest.hasPrefix(":///") && (try? RemoteURL(text)) != nil
    else {
      throw CommandError("'\(text)' is not the start of a URL: write one like https://cdn.example/media/")
    }
    return text
  }

  /// Accepts visible ASCII characters with single spaces between them (RFC 9110 section 5.5).
  static func userAgent(_ text: String) throws(CommandError) -> String {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard text.utf8.count <= 256,
      words.allSatisfy({ word in !word.isEmpty && word.utf8.allSatisfy { 0x21...0x7E ~= $0 } })
    else {
      throw CommandError(
        "'\(text.prefix(300))' is not a User-Agent: write ASCII in one line, 256 bytes at most, like acme-push/2.1 (ops@acme.example)"
      )
    }
    return text
  }

  /// Accepts `ADDRESS[:PORT]`, separated by commas, as c-ares does. c-ares would refuse other texts
  /// only during a fetch.
  static func nameServers(_ text: String) throws(CommandError) -> String {
    for server in text.split(separator: ",", omittingEmptySubsequences: false)
    where IPAddress(String(server)) == nil {
      let (host, isBracketed, digits) = server.hostAndPort
      guard let digits, let address = IPAddress(String(host)), isBracketed == (address.family == .v6) else {
        throw CommandError(
          "'\(server)' is not a name server: write one like 9.9.9.9, 127.0.0.1:5353 or [::1]:53")
      }
      _ = try port(String(digits))
    }
    return text
  }

  static func attachmentsKey(_ text: String) throws(CommandError) -> String {
    guard !text.isEmpty else { throw CommandError("the name is empty: write one like attachments") }
    guard text != "aps" else {
      throw CommandError("'\(text)' cannot be the name of the added member: write one like attachments")
    }
    return text
  }

  /// Accepts the path of a file of categories. The members that are added for them have fixed
  /// names, which `attachmentsKey` must not use.
  static func categories(_ path: String, besides attachmentsKey: String) throws(CommandError) -> String {
    guard !CategoryAddition.names.contains(attachmentsKey) else {
      throw CommandError(
        "--attachments-key '\(attachmentsKey)' is a name that categories need: write one like attachments")
    }
    return path
  }

  /// Reads `attachments`, `in-place`, or both, separated by commas. `in-place` needs a `publicURL`
  /// that devices can fetch from.
  static func writing(_ text: String, publicURL: String?) throws(CommandError) -> Set<WritingMode> {
    var modes: Set<WritingMode> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let mode = WritingMode(rawValue: String(part)) else {
        throw CommandError(
          "'\(part)' is not a way to name stored files: write attachments, in-place, or both, separated by commas"
        )
      }
      modes.insert(mode)
    }
    let prefix = publicURL?.lowercased() ?? ""
    guard !modes.contains(.inPlace) || ["https://", "http://"].contains(where: prefix.hasPrefix) else {
      throw CommandError(
        "'in-place' is for URLs that devices can fetch: give --public-url one like https://cdn.example/media/"
      )
    }
    return modes
  }

  /// Reads `audio=5MB,image=10MB,video=50MB,pixels=50M,side=20000`. Limits that are not named stay as
  /// they are.
  static func limits(_ text: String, over limits: SizeLimits) throws(CommandError) -> SizeLimits {
    var limits = limits
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let sides = part.split(separator: "=", maxSplits: 1).map { String($0) }
      switch (sides.first.flatMap { MediaFamily(rawValue: $0) }, sides.first, sides.count) {
      case (let family?, _, 2): limits[family] = try fileSize(sides[1])
      case (_, "pixels", 2): limits.pixels = try pixels(sides[1])
      case (_, "side", 2): limits.side = try pixels(sides[1])
      default:
        throw CommandError(
          "'\(part)' is not a limit: write audio=5MB, image=10MB or video=50MB, or pixels=50M or side=20000, separated by commas"
        )
      }
    }
    return limits
  }
}
