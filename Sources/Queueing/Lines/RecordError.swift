package import Notifications
internal import Supporting

/// Why a line is not a record. The description says what is wrong with the line and what to do.
package enum RecordError: Error, Equatable, CustomStringConvertible {
  case notJSON(JSONError)
  case notAnObject(JSONValue.Kind)
  case unknownMember(String)
  case repeatedMember(String)
  case noBody
  case unknownEncoding(String)
  case notBase64
  case headersTooLong(maximum: Int)
  /// A header has no name, or one of more combining marks than any real name.
  case headerName
  /// Half of a surrogate pair, which UTF-8 cannot hold.
  case notText(String)
  case wrongKind(String, JSONValue.Kind, expected: String)

  package var description: String {
    switch self {
    case .notJSON(.tooLong(_, let maximum)):
      "it is longer than \(maximum.asBytes); write a shorter body or fewer headers"
    case .notJSON(let error):
      "it is not JSON: \(Self.withoutLine(error)); write one line like \(Self.example)"
    case .notAnObject(let kind): "it is \(kind.words); write one line like \(Self.example)"
    case .unknownMember(let name):
      "a record has id, headers, body and encoding, but not '\(name)'; a payload goes into body; leave out --records (or write - instead of records:-) if the lines are payloads"
    case .repeatedMember(let name): "it has more than one \(name); write one"
    case .noBody: #"it has no body; write "body":{…}, or a string"#
    case .unknownEncoding(let name):
      "its encoding is '\(name)'; write base64, or leave the encoding out if the body is an object or a string"
    case .notBase64:
      "its body is not base64 (RFC 4648), as its encoding says; encode it again, without line breaks"
    case .headersTooLong(let maximum):
      "its headers take more than \(maximum.asBytes), at \(MemoryLayout<Header>.stride) bytes for each and its text; write fewer or shorter ones"
    case .headerName: "one of its headers has no name that can be used; write one like apns-topic"
    case .notText(let place):
      "its \(place) has half of a surrogate pair, which is not a character; write the whole pair, or encode a body that is not text in base64"
    case .wrongKind(let place, let kind, let expected):
      "its \(place) is \(kind.words); write \(expected) there"
    }
  }

  private static let example = #"{"id":"…","headers":{…},"body":{…}}"#

  /// The error without `line 1`: a record is parsed by itself, and its line in the input has another number.
  private static func withoutLine(_ error: JSONError) -> Substring {
    let text = error.description
    let line = "line 1, "
    return text.hasPrefix(line) ? text.dropFirst(line.count) : text[...]
  }
}
