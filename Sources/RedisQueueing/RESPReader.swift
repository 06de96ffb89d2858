internal import CHiredis
internal import Queueing

/// Parses replies from the bytes of a connection.
@safe struct RESPReader: ~Copyable {
  /// The bytes are not RESP.
  struct Malformed: Error {}

  private let reader: UnsafeMutablePointer<redisReader>

  /// - Throws: `QueueError.unavailable` when there is no memory.
  init(for server: RedisServer) throws(QueueError) {
    guard let reader = unsafe redisReaderCreate() else {
      throw .unavailable("there is no memory for a connection to \(server.name)")
    }
    unsafe self.reader = unsafe reader
  }

  deinit { unsafe redisReaderFree(reader) }

  /// Copies the first `count` of `bytes`.
  func feed(_ bytes: [UInt8], count: Int) throws(Malformed) {
    let code = unsafe bytes.withUnsafeBytes { bytes in
      unsafe redisReaderFeed(
        reader, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), min(count, bytes.count))
    }
    guard code == REDIS_OK else { throw Malformed() }
  }

  /// The next reply; nil as long as it is not complete.
  func next() throws(Malformed) -> RedisReply? {
    var object: UnsafeMutableRawPointer?
    guard unsafe redisReaderGetReply(reader, &object) == REDIS_OK else { throw Malformed() }
    guard let object = unsafe object else { return nil }
    defer { unsafe freeReplyObject(object) }
    return unsafe Self.reply(object.assumingMemoryBound(to: redisReply.self))
  }

  private static func reply(_ reply: UnsafePointer<redisReply>) -> RedisReply {
    switch unsafe reply.pointee.type {
    case REDIS_REPLY_INTEGER: return .integer(unsafe reply.pointee.integer)
    case REDIS_REPLY_STRING: return .bytes(unsafe bytes(reply))
    case REDIS_REPLY_STATUS: return .status(String(decoding: unsafe bytes(reply), as: UTF8.self))
    case REDIS_REPLY_ERROR: return .error(String(decoding: unsafe bytes(reply), as: UTF8.self))
    case REDIS_REPLY_ARRAY:
      let count = Int(unsafe reply.pointee.elements)
      let elements = unsafe UnsafeBufferPointer(start: reply.pointee.element, count: count)
      return .array(unsafe elements.map { element in unsafe element.map { unsafe Self.reply($0) } ?? .null })
    default: return .null
    }
  }

  private static func bytes(_ reply: UnsafePointer<redisReply>) -> [UInt8] {
    unsafe Array(UnsafeRawBufferPointer(start: reply.pointee.str, count: Int(reply.pointee.len)))
  }
}
