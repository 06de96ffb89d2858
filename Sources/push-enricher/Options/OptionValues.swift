internal import Enriching
internal import Fetching
internal import Notifications
internal import Sniffing
internal import Supporting

/// How the text of a value is read. Each says what would be right.
extension CommonOptions {
  static func number(_ text: String, in range: ClosedRange<Int>) throws(OptionError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw OptionError("'\(text)' is no number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  static func concurrency(_ text: String) throws(OptionError) -> Int { try number(text, in: 1...1_024) }

  static func port(_ text: String) throws(OptionError) -> Int { try number(text, in: 1...65_535) }

  static func deadline(_ text: String) throws(OptionError) -> Duration {
    let deadline = try TimeSpan.parse(text)
    guard deadline <= Deadline.maximum else {
      throw OptionError("'\(text)' is longer than the 30s that iOS gives: write 30s or less")
    }
    return deadline
  }

  static func attachmentsKey(_ text: String) throws(OptionError) -> String {
    guard !text.isEmpty else { throw OptionError("a name is not empty: write one like attachments") }
    guard text != "aps" else {
      throw OptionError("'\(text)' cannot be the name of what is added: write one like attachments")
    }
    return text
  }

  static func truth(_ text: String) throws(OptionError) -> Bool {
    switch text.lowercased() {
    case "1", "true", "yes", "on": true
    case "0", "false", "no", "off", "": false
    default: throw OptionError("'\(text)' is neither true nor false")
    }
  }

  static func directory(_ text: String) throws(OptionError) -> String {
    if text.hasPrefix("file://") { return String(text.dropFirst("file://".count)) }
    guard !text.contains("://"), !text.isEmpty else {
      throw OptionError("'\(text)' is no directory: write a path, or file:// and a path")
    }
    return text
  }

  /// Apps may have a scheme of their own, so only that there is one is asked for (RFC 3986 section 3.1), and
  /// that it may go on with a name: what HTTP needs beside that is known.
  static func prefix(_ text: String) throws(OptionError) -> String {
    let scheme = text.utf8.prefix { $0 != UInt8(ascii: ":") }
    let rest = text.dropFirst(scheme.count)
    let isHTTP = ["http", "https"].contains(text.prefix(scheme.count).lowercased())
    guard !rest.isEmpty, scheme.first?.isASCIILetter == true, scheme.allSatisfy(isOfScheme),
      rest.utf8.allSatisfy(isBeforeFragment),
      // libcurl takes more slashes and fewer, and others do not.
      !isHTTP || rest.hasPrefix("://") && !rest.hasPrefix(":///") && (try? RemoteURL(text)) != nil
    else {
      throw OptionError("'\(text)' is no start of a URL: write one like https://cdn.example/media/")
    }
    return text
  }

  /// Reads `attachments`, `in-place`, or both by commas. Devices fetch what is named in place.
  static func writing(_ text: String, publicURL: String?) throws(OptionError) -> Set<WritingMode> {
    var modes: Set<WritingMode> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let mode = WritingMode(rawValue: String(part)) else {
        throw OptionError(
          "'\(part)' is no way to name stored files: write attachments, in-place, or both by commas")
      }
      modes.insert(mode)
    }
    let prefix = publicURL?.lowercased() ?? ""
    guard !modes.contains(.inPlace) || ["https://", "http://"].contains(where: prefix.hasPrefix) else {
      throw OptionError(
        "'in-place' is for URLs that devices can fetch: give --public-url one like https://cdn.example/media/"
      )
    }
    return modes
  }

  private static func isOfScheme(_ byte: UInt8) -> Bool {
    byte.isASCIILetter || byte.isASCIIDigit || "+-.".utf8.contains(byte)
  }

  /// Whether a URL may have it, before its fragment (RFC 3986 section 2).
  private static func isBeforeFragment(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte) && !##""#<>\^`{|}"##.utf8.contains(byte)
  }

  /// Reads `ADDRESS[:PORT]` by commas, as c-ares does, which would say no only once a fetch is under way.
  static func nameServers(_ text: String) throws(OptionError) -> String {
    for server in text.split(separator: ",", omittingEmptySubsequences: false)
    where IPAddress(String(server)) == nil {
      let (host, isBracketed, digits) = server.hostAndPort
      guard let digits, let address = IPAddress(String(host)), isBracketed == (address.family == .v6) else {
        throw OptionError("'\(server)' is no name server: write one like 9.9.9.9, 127.0.0.1:5353 or [::1]:53")
      }
      _ = try port(String(digits))
    }
    return text
  }

  static func network(_ text: String) throws(OptionError) -> AddressRange {
    do throws(AddressRangeError) {
      return try AddressRange(text)
    } catch {
      throw OptionError("\(error)")
    }
  }

  static func mediaKey(_ text: String) throws(OptionError) -> MediaKey {
    do throws(MediaKeyError) {
      return try MediaKey(text)
    } catch {
      throw OptionError("\(error)")
    }
  }

  /// 0, or room for some entries at the least.
  static func cacheSize(_ text: String) throws(OptionError) -> Int {
    let bytes = try ByteCount.parse(text)
    guard bytes == 0 || bytes >= EnrichmentSettings.leastCacheBytes else {
      throw OptionError(
        "'\(text)' is too small for a cache: write \(EnrichmentSettings.leastCacheBytes) or more, or 0 for none"
      )
    }
    return bytes
  }

  /// Reads `audio=5MB,image=10MB,video=50MB`; a family that is not named keeps its limit.
  static func limits(_ text: String, over limits: SizeLimits) throws(OptionError) -> SizeLimits {
    var limits = limits
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let sides = part.split(separator: "=", maxSplits: 1).map { String($0) }
      guard sides.count == 2, let family = MediaFamily(rawValue: sides[0]) else {
        throw OptionError("'\(part)' is no limit: write audio=5MB, image=10MB or video=50MB, by commas")
      }
      limits[family] = try ByteCount.parse(sides[1])
    }
    return limits
  }
}
