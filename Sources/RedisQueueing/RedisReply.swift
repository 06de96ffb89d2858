/// A reply of Redis (RESP, redis.io/docs/reference/protocol-spec).
enum RedisReply: Equatable {
  case integer(Int64)
  /// A string, which may hold any bytes.
  case bytes([UInt8])
  case status(String)
  /// The first word, in capitals, is the kind: `WRONGTYPE`.
  case error(String)
  case array([RedisReply])
  case null

  var elements: [RedisReply] { if case .array(let elements) = self { elements } else { [] } }

  var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

  var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

  var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

  /// The first error in it, also within an array.
  var error: String? {
    switch self {
    case .error(let text): text
    case .array(let elements): elements.lazy.compactMap(\.error).first
    case .integer, .bytes, .status, .null: nil
    }
  }
}
