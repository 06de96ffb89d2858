internal import Queueing
internal import Supporting

/// The database and stream in a URL: `/STREAM`, `/DATABASE/STREAM` or `/STREAM?db=DATABASE`. A lone
/// number is an error: most clients read `/0` as a database
/// (iana.org/assignments/uri-schemes/prov/redis).
struct RedisPath: Equatable {
  let database: Int
  let stream: String
  let hasDatabase: Bool

  /// - Parameter what: what the last part of the path names, used in messages.
  /// - Throws: `URLFault` with the URL that was probably meant.
  init(_ url: BrokerURL, defaultStream: String, what: String = "stream") throws(URLFault) {
    var segments = url.path == [""] ? [] : url.path[...]
    let number = segments.first.flatMap { Self.isNumber($0) ? $0 : nil }
    if number != nil, segments.count > 1 { segments = segments.dropFirst() }
    func right(_ stream: String) -> String {
      let others = url.query.split(separator: "&").filter { number == nil || !$0.hasPrefix("db=") }
      let query = others.isEmpty ? "" : "?\(others.joined(separator: "&"))"
      return "\(url.place)/\(number.map { "\($0)/" } ?? "")\(stream)\(query)"
    }
    guard segments.count != 1 || !Self.isNumber(segments[segments.startIndex]),
      number == nil || segments != [""]
    else {
      throw URLFault("a number alone is a database, and the \(what) is missing", right: right(defaultStream))
    }
    let parameter = try url.parameters["db"].map(Self.number)
    guard number == nil || parameter == nil else {
      throw URLFault("its database is in its path or in db, and not in both", right: right(defaultStream))
    }
    guard segments.first != "", segments.last != "" else {
      let name = segments.first { !$0.isEmpty && $0.utf8.allSatisfy(\.isUnreserved) }
      throw URLFault("its \(what) neither begins nor ends with a /", right: right(name ?? defaultStream))
    }
    hasDatabase = number != nil
    database = try number.map(Self.number) ?? parameter ?? 0
    stream = segments.isEmpty ? defaultStream : segments.joined(separator: "/")
  }

  private static func isNumber(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(\.isASCIIDigit)
  }

  private static func number(_ text: String) throws(URLFault) -> Int {
    guard isNumber(text), let number = Int32(text) else {
      throw URLFault("its database is a number from 0 to \(Int32.max)")
    }
    return Int(number)
  }
}
