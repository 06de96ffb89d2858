internal import Queueing

/// A message as the fields of an entry: `id` and `body` first, then its headers by their own names. Whatever else writes into the
/// stream needs to give a `body` only; what is called so a second time is a header.
extension Message {
  /// Names and values in turns.
  var redisFields: [[UInt8]] {
    var words = [Array("id".utf8), Array(id.utf8), Array("body".utf8), body]
    for header in headers {
      words.append(Array(header.name.utf8))
      words.append(Array(header.value.utf8))
    }
    return words
  }

  /// - Parameters:
  ///   - entry: its id in the stream, for a message that brings none.
  ///   - fields: names and values in turns.
  init(entry: String, redisFields fields: [RedisReply]) {
    var id: String?
    var body: [UInt8]?
    var headers: [Header] = []
    for index in stride(from: 0, to: fields.count - 1, by: 2) {
      let (name, value) = (fields[index].text ?? "", fields[index + 1].bytes ?? [])
      switch name {
      case "id" where id == nil: id = String(decoding: value, as: UTF8.self)
      case "body" where body == nil: body = value
      default: headers.append(Header(name, String(decoding: value, as: UTF8.self)))
      }
    }
    self.init(id: id ?? entry, body: body ?? [], headers: headers)
  }
}
