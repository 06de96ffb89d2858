@testable import Queueing
@testable import Sending

/// Everything that goes into a request, and everything in key and certificate files. The first line of the
/// input is the value of each header in turn. The rest is a payload, a key, an extension and a signature.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe Input(start, count)
  let parts = input.bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
  let value = String(decoding: parts[0], as: UTF8.self)
  let rest = parts.count > 1 ? Array(parts[1]) : []

  if let token = try? DeviceToken.read(value) {
    Input.require((try? DeviceToken.read(token)) == token, "a token changes when it is read again")
  }
  for header in RequestHeader.allCases {
    let headers = [Header("device-token", "0a"), Header("apns-topic", "a"), Header(header.name, value)]
    let message = Message(id: value, body: rest, headers: headers)
    guard let request = try? PushRequest(message, topic: nil, now: 0) else { continue }
    Input.require(request.body.count <= 5_120, "a payload is too long")
    for header in request.headers {
      Input.require(header.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a header is no header")
    }
  }
  Input.require((CertificateTopics.read(rest)?.count ?? 0) <= 64, "there are too many topics")
  Input.require((SigningKey.plain(rest)?.count ?? 64) == 64, "a signature has a wrong length")
  _ = try? SigningKey(pem: rest)
  return 0
}
