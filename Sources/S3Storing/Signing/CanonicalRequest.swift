internal import Supporting

/// A request in the one form that both sides sign
/// (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html, step 1).
struct CanonicalRequest {
  /// The names of all header fields, sorted: `content-type;host;x-amz-date`.
  let signedHeaders: String
  let text: String

  /// - Parameter isForS3: S3 takes the path as it is. Other services take it normalised, and escape it once more.
  init(_ request: HTTPRequest, payloadSHA256: String, isForS3: Bool) {
    let target = request.url.target.utf8
    let path = target.prefix { $0 != UInt8(ascii: "?") }
    let query = target.dropFirst(path.count + 1)
    var fields = ["host": request.url.authority]
    for field in request.headers {
      let (name, value) = (field.name.lowercased(), Self.trimmed(field.value))
      fields[name] = fields[name].map { "\($0),\(value)" } ?? value
    }
    let names = fields.keys.sorted()
    signedHeaders = names.joined(separator: ";")
    text = """
      \(request.method)
      \(isForS3 ? Self.escapedOnce(path, keeping: "/") : Self.normalised(path).percentEncoded(keeping: "/"))
      \(Self.sorted(query))
      \(names.map { "\($0):\(fields[$0] ?? "")\n" }.joined())
      \(signedHeaders)
      \(payloadSHA256)
      """
  }

  /// Removes the spaces around the value, and reduces those inside to single spaces.
  private static func trimmed(_ value: String) -> String {
    value.utf8.split { " \t\r\n".utf8.contains($0) }.map { String($0) ?? "" }.joined(separator: " ")
  }

  /// Servers decode a request before they check its signature. Anything that can be spelled in two ways, such
  /// as `~` and `%7E`, must be signed in one of them.
  private static func escapedOnce(_ text: Substring.UTF8View, keeping kept: String = "") -> String {
    (text.percentDecoded ?? Array(text)).percentEncoded(keeping: kept)
  }

  /// Resolves `.`, `..` and `//`.
  private static func normalised(_ path: Substring.UTF8View) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    var segments: [Substring.UTF8View] = []
    for segment in path.split(separator: slash) where !segment.elementsEqual(".".utf8) {
      if segment.elementsEqual("..".utf8) { _ = segments.popLast() } else { segments.append(segment) }
    }
    if path.last == slash, !segments.isEmpty { segments.append("".utf8[...]) }
    return [slash] + segments.joined(separator: [slash])
  }

  /// Sorts by name, then by value, after both are escaped. `?uploads` is signed as `uploads=`.
  private static func sorted(_ query: Substring.UTF8View) -> String {
    let parameters = query.split(separator: UInt8(ascii: "&")).map { parameter in
      let name = parameter.prefix { $0 != UInt8(ascii: "=") }
      return (escapedOnce(name), escapedOnce(parameter.dropFirst(name.count + 1)))
    }
    return parameters.sorted { $0 < $1 }.map { "\($0)=\($1)" }.joined(separator: "&")
  }
}
