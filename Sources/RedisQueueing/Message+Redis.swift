internal import Queueing

/// A message is the fields of an entry: first `id` and `body`, then its headers under their own
/// names. Other writers need only a `body`. A second field called `id` or `body` is a header.
extension RedisCommand {
  mutating func append(_ message: Message) {
    append("id")
    append(escaped: message.id)
    append("body")
    append(message.body)
    for header in message.headers {
      append(escaped: header.name)
      append(escaped: header.value)
    }
  }
}

extension Message {
  /// The number of names and values.
  var countOfRedisFields: Int { 4 + 2 * headers.count }

  /// - Parameters:
  ///   - entry: the id in the stream, used if the message has none.
  ///   - fields: alternating names and values.
  init(entry: String, redisFields fields: [RedisReply]) {
    var (id, body): (String?, [UInt8]?)
    var headers: [Header] = []
    for index in stride(from: 0, to: fields.count - 1, by: 2) {
      let (name, value) = (ByteEscapedText.text(fields[index].bytes ?? []), fields[index + 1].bytes ?? [])
      switch name {
      case "id" where id == nil: id = ByteEscapedText.text(value)
      case "body" where body == nil: body = value
      default: headers.append(Header(name, ByteEscapedText.text(value)))
      }
    }
    if id?.isEmpty == true { id = nil }
    self.init(id: id ?? entry, body: body ?? [], headers: headers)
  }
}

extension Delivery {
  /// - Parameter parts: an item of the result of `RedisScript.receive`.
  init?(_ parts: [RedisReply]) {
    guard parts.count == 5, let entry = parts[0].text, let consumer = parts[1].text,
      let count = parts[2].integer.map({ Int($0) }), let lost = parts[4].integer
    else { return nil }
    var message = Message(entry: entry, redisFields: parts[3].elements)
    if lost > 0 { message.headers.append(Header(Message.truncatedHeadersName, "\(lost)")) }
    let receipt = RedisReceipt(entry: entry, consumer: consumer, count: count)
    self.init(message: message, attempt: count, receipt: receipt.text)
  }
}
