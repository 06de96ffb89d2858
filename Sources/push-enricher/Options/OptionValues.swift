internal import Enriching
internal import Fetching
internal import Notifications
internal import Sniffing

/// How the text of a value is read. Each says what would be right.
extension CommonOptions {
  static func number(_ text: String, in range: ClosedRange<Int>) throws(OptionError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw OptionError("'\(text)' is no number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
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

  /// Reads `audio=5MB,image=10MB,video=50MB`; a family that is not named keeps its limit.
  static func read(_ text: String, into limits: inout SizeLimits) throws(OptionError) {
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let sides = part.split(separator: "=", maxSplits: 1).map { String($0) }
      guard sides.count == 2, let family = MediaFamily(rawValue: sides[0]) else {
        throw OptionError("'\(part)' is no limit: write audio=5MB, image=10MB or video=50MB, by commas")
      }
      limits[family] = try ByteCount.parse(sides[1])
    }
  }
}
