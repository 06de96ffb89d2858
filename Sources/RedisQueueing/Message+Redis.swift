internal import Queueing

/// A message as the fields of an entry: `id` and `body` first, then its headers under their own names. Other
/// writers need only a `body`. A second field of either name is a header.
extension Message {
  /// Names and values together.
  var countOfRedisFields: Int { 4 + 2 * headers.count }

  /// Names and values alternate.
  func writeRedisFields(to words: inout RESPWords) {
    words.append("id")
    words.append(escaped: id)
    words.append("body")
    words.append(body)
    for header in headers {
      words.append(escaped: header.name)
      words.append(escaped: header.value)
    }
  }

  /// - Parameters:
  ///   - entry: the id in the stream, for a message without one.
  ///   - fields: names and values alternate.
  init(entry: String, redisFields fields: [RedisReply]) {
    var id: String?
    var body: [UInt8]?
    var headers: [Header] = []
    for index in stride(from: 0, to: fields.count - 1, by: 2) {
      let (name, value) = (ByteEscapedText.text(fields[index].bytes ?? []), fields[index + 1].bytes ?? [])
      switch name {
      case "id" where id == nil: id = ByteEscapedText.text(value)
      case "body" where body == nil: body = value
      default: headers.append(Header(name, ByteEscapedText.text(value)))
      }
    }
    self.init(id: id ?? entry, body: body ?? [], headers: headers)
  }
}
