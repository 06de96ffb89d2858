internal import CHiredis
internal import Queueing

/// A reply from Redis (RESP, redis.io/docs/reference/protocol-spec).
enum RedisReply: Equatable {
  case integer(Int64)
  /// A string, which may hold any bytes.
  case bytes([UInt8])
  case status(String)
  /// The first word, in capitals, is the kind of error: `WRONGTYPE`.
  case error(String)
  case array([RedisReply])
  case null

  var elements: [RedisReply] { if case .array(let elements) = self { elements } else { [] } }
  var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
  var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
  var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
  /// The error, or the first error inside an array.
  var error: String? { if case .error(let text) = self { text } else { elements.firstError } }
}

extension [RedisReply] {
  var firstError: String? { lazy.compactMap(\.error).first }
}

@safe struct RESPReader: ~Copyable {
  private let reader: UnsafeMutablePointer<redisReader>
  private let server: RedisServer

  init(for server: RedisServer) throws(QueueError) {
    guard let reader = unsafe redisReaderCreate() else { throw .noMemory(for: server) }
    unsafe self.reader = unsafe reader
    self.server = server
  }

  deinit { unsafe redisReaderFree(reader) }

  /// Reads the first `count` of `bytes`, and appends the replies that are now complete.
  /// - Throws: `QueueError.refused` if the bytes are not RESP.
  func read(_ bytes: [UInt8], count: Int, into replies: inout [RedisReply]) throws(QueueError) {
    var status = unsafe bytes.withUnsafeBytes { bytes in
      unsafe redisReaderFeed(reader, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), count)
    }
    var object: UnsafeMutableRawPointer?
    while status == REDIS_OK {
      status = unsafe redisReaderGetReply(reader, &object)
      guard status == REDIS_OK, let object = unsafe object else { break }
      unsafe replies.append(Self.reply(object.assumingMemoryBound(to: redisReply.self)))
      unsafe freeReplyObject(object)
    }
    guard status == REDIS_OK else { throw .noRedis(at: server) }
  }

  private static func reply(_ reply: UnsafePointer<redisReply>) -> RedisReply {
    var bytes: [UInt8] {
      unsafe Array(UnsafeRawBufferPointer(start: reply.pointee.str, count: Int(reply.pointee.len)))
    }
    switch unsafe reply.pointee.type {
    case REDIS_REPLY_INTEGER: return .integer(unsafe reply.pointee.integer)
    case REDIS_REPLY_STRING: return .bytes(bytes)
    case REDIS_REPLY_STATUS: return .status(String(decoding: bytes, as: UTF8.self))
    case REDIS_REPLY_ERROR: return .error(String(decoding: bytes, as: UTF8.self))
    case REDIS_REPLY_ARRAY:
      let count = Int(unsafe reply.pointee.elements)
      let elements = unsafe UnsafeBufferPointer(start: reply.pointee.element, count: count)
      return .array(unsafe elements.map { element in unsafe element.map { unsafe Self.reply($0) } ?? .null })
    default: return .null
    }
  }
}
