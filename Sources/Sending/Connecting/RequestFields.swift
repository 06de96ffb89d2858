internal import CNghttp2
internal import Queueing
internal import Supporting

/// The header fields of the requests on a connection. Each request reuses the memory of the one before.
struct RequestFields {
  /// Fields whose value differs in each request. They are indexed only in the first request, for
  /// their names (RFC 7541 section 6.2).
  private static let changing = ["apns-id", "apns-expiration", "apns-collapse-id"]

  /// A field, as ranges of `bytes`.
  private struct Field {
    let name, value: Range<Int>
    let isIndexed: Bool
  }

  /// Whether no request has been sent yet.
  var areFirst = true
  private var bytes: [UInt8] = []
  private var fields: [Field] = []
  /// How many bytes and fields are the same in all requests. They come first.
  private var common = (bytes: 0, fields: 0)

  init(authority: String) {
    add(":method", "POST")
    add(":scheme", "https")
    add(":authority", authority)
    common = (bytes.count, fields.count)
  }

  mutating func set(_ request: PushRequest, authorization: String?) {
    bytes.removeLast(bytes.count - common.bytes)
    fields.removeLast(fields.count - common.fields)
    add(":path", "/3/device/", request.device)
    if let authorization { add("authorization", authorization) }
    for header in request.headers {
      add(header.name, header.value, isIndexed: areFirst || !Self.changing.contains(header.name))
    }
  }

  private mutating func add(_ name: String, _ value: String, _ rest: String = "", isIndexed: Bool = true) {
    let start = bytes.count
    let middle = start + name.utf8.count
    bytes.append(addingCapacity: name.utf8.count + value.utf8.count + rest.utf8.count) { output in
      output.append(contentsOf: name.utf8Span.span)
      output.append(contentsOf: value.utf8Span.span)
      if !rest.isEmpty { output.append(contentsOf: rest.utf8Span.span) }
    }
    fields.append(Field(name: start..<middle, value: middle..<bytes.count, isIndexed: isIndexed))
  }

  /// Calls `body` with the fields. nghttp2 copies them.
  mutating func withFields(_ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> Int32) -> Int32 {
    let fields = fields
    return unsafe bytes.withUnsafeMutableBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return -1 }
      return unsafe withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: fields.count) { list in
        for (index, field) in fields.enumerated() {
          let flag = field.isIndexed ? NGHTTP2_NV_FLAG_NONE : NGHTTP2_NV_FLAG_NO_INDEX
          unsafe list.initializeElement(
            at: index,
            to: nghttp2_nv(
              name: start + field.name.lowerBound, value: start + field.value.lowerBound,
              namelen: field.name.count, valuelen: field.value.count, flags: UInt8(flag.rawValue)))
        }
        return unsafe body(list)
      }
    }
  }
}
