internal import Supporting

/// The parts of `s3://BUCKET[/PREFIX][?NAME=VALUE&…]`.
struct S3PlaceText {
  static let scheme = "s3://"
  static let names = ["endpoint", "path-style", "region"]
  /// In bytes. A key may have 1,024, and a name takes less than 124 of them.
  static let longestPrefix = 900

  let bucket: String
  /// Empty, or ending with `/`.
  let prefix: String
  let parameters: [String: String]

  init(_ place: String) throws(S3LocationError) {
    guard place.hasPrefix(Self.scheme) else { throw .scheme }
    let rest = place.utf8.dropFirst(Self.scheme.utf8.count)
    let front = rest.prefix { $0 != UInt8(ascii: "?") }
    let authority = front.prefix { $0 != UInt8(ascii: "/") }
    // May be a secret key, so no error may repeat it.
    guard !authority.contains(UInt8(ascii: "@")), !authority.contains(UInt8(ascii: ":")) else {
      throw .notOnlyABucket
    }
    bucket = String(Substring(authority))
    prefix = try Self.prefix(String(Substring(front.dropFirst(authority.count + 1))))
    parameters = try Self.parameters(rest.dropFirst(front.count + 1))
  }

  /// Accepts the prefix with or without a `/` at its end.
  private static func prefix(_ text: String) throws(S3LocationError) -> String {
    var segments = text.split(separator: "/", omittingEmptySubsequences: false)
    if segments.last == "" { segments.removeLast() }
    // Programs and proxies on the way resolve dots and double slashes.
    let isResolved = segments.contains { ["", ".", ".."].contains($0) }
    let isPlain = text.utf8.allSatisfy { $0.isUnreserved || "/!*'()=".utf8.contains($0) }
    guard isPlain, !isResolved, text.utf8.count <= longestPrefix else { throw .prefix(text.printable) }
    return segments.map { "\($0)/" }.joined()
  }

  private static func parameters(_ query: Substring.UTF8View) throws(S3LocationError) -> [String: String] {
    var values: [String: String] = [:]
    for parameter in query.split(separator: UInt8(ascii: "&")) {
      let spelledName = parameter.prefix { $0 != UInt8(ascii: "=") }
      let name = String(Substring(spelledName))
      // Ignoring an unknown parameter would hide a mistake. Its value may be a secret key.
      guard names.contains(name) else { throw .unknownParameter(name.printable) }
      let bytes = parameter.dropFirst(spelledName.count + 1).percentDecoded ?? []
      guard !bytes.isEmpty, let value = String(validating: bytes, as: UTF8.self) else {
        throw .unusableParameter(name)
      }
      guard values.updateValue(value, forKey: name) == nil else { throw .repeatedParameter(name) }
    }
    return values
  }
}
