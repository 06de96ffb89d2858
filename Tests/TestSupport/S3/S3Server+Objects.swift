import Misbehaving
import Supporting
import Synchronization

/// What it does with the requests that it has verified.
extension S3Server {
  /// The bucket and the key that a request names.
  static func place(of request: Request, _ settings: Settings) -> (bucket: String, key: String) {
    let host = (request.value(of: "Host") ?? "").prefix { $0 != ":" }
    let path = String(decoding: PercentEncoding.decode(request.path), as: UTF8.self).dropFirst()
    if let domain = settings.domains.first(where: { host.hasSuffix(".\($0)") }) {
      return (String(host.dropLast(domain.count + 1)), String(path))
    }
    let parts = path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    return (String(parts.first ?? ""), String(parts.count > 1 ? parts[1] : ""))
  }

  /// Verifies a request, and does what it asks, all at once.
  func answer(to request: Request, _ body: [UInt8]) -> ServiceAnswer {
    let digest = SHA256.digest(of: body.span) ?? []
    return state.withLock { state in
      do throws(S3Refusal) {
        return try Self.perform(request, body, digest, &state)
      } catch {
        return error.answer
      }
    }
  }

  private static func perform(
    _ request: Request, _ body: [UInt8], _ digest: [UInt8], _ state: inout State
  ) throws(S3Refusal) -> ServiceAnswer {
    let settings = state.settings
    let now = ServiceClock.now + settings.clockOffset
    let reads = request.method == "GET" || request.method == "HEAD"
    if !settings.isPublic || !reads || request.value(of: "Authorization") != nil {
      try S3Signature.verify(
        request, bodySHA256: String(hexadecimal: digest.span), accounts: settings.accounts,
        region: settings.region, at: now)
    }
    let (bucket, key) = place(of: request, settings)
    guard settings.buckets.contains(bucket) else { throw .noSuchBucket(bucket) }
    let place = "\(bucket)/\(key)"
    switch request.method {
    case "HEAD" where key.isEmpty:
      return ServiceAnswer(200, [Response.Field("x-amz-bucket-region", settings.region)])
    case "GET", "HEAD":
      guard let object = state.objects[place] else { throw settings.missingRefusal }
      return answer(object)
    case "PUT" where !key.isEmpty:
      try verifyConditions(of: request, digest, exists: state.objects[place] != nil, settings)
      guard let source = request.value(of: "x-amz-copy-source") else {
        state.objects[place] = object(request, body, at: now)
        return ServiceAnswer(200, [Response.Field("ETag", "\"\(String(hexadecimal: digest.span))\"")])
      }
      let decoded = String(decoding: PercentEncoding.decode(Substring(source)), as: UTF8.self)
      let origin = String(decoded.drop { $0 == "/" })
      guard let original = state.objects[origin] else { throw .noSuchKey }
      state.objects[place] = try copy(original, request, isItself: origin == place, at: now)
      return ServiceAnswer(
        "<CopyObjectResult><LastModified>\(ServiceClock.timestamp(now))</LastModified></CopyObjectResult>",
        as: "application/xml")
    case "DELETE" where !key.isEmpty:
      state.objects[place] = nil
      return ServiceAnswer(204)
    default: throw .methodNotAllowed
    }
  }

  private static func verifyConditions(
    of request: Request, _ digest: [UInt8], exists: Bool, _ settings: Settings
  ) throws(S3Refusal) {
    if let checksum = request.value(of: "x-amz-checksum-sha256") {
      if let refusal = settings.checksumRefusal { throw refusal }
      let unpadded = BaseEncoding.base64.encode(digest.span)
      guard String(checksum.prefix { $0 != "=" }) == unpadded else { throw .badDigest }
    }
    guard let condition = request.value(of: "If-None-Match") else { return }
    if let refusal = settings.conditionRefusal { throw refusal }
    guard condition == "*" else { throw .notImplemented }
    if exists { throw .preconditionFailed }
  }

  private static func object(_ request: Request, _ bytes: [UInt8], at now: Int64) -> Object {
    Object(
      bytes: bytes, contentType: request.value(of: "Content-Type"),
      cacheControl: request.value(of: "Cache-Control"),
      contentDisposition: request.value(of: "Content-Disposition"), modified: now)
  }

  /// A copy onto itself has to change something (https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html).
  private static func copy(
    _ original: Object, _ request: Request, isItself: Bool, at now: Int64
  ) throws(S3Refusal) -> Object {
    if request.value(of: "x-amz-metadata-directive") == "REPLACE" {
      return object(request, original.bytes, at: now)
    }
    guard !isItself else {
      throw S3Refusal(
        400, "InvalidRequest",
        "This copy request is illegal because it is trying to copy an object to itself without changing the "
          + "object's metadata, storage class, website redirect location or encryption attributes.")
    }
    var copy = original
    copy.modified = now
    return copy
  }

  private static func answer(_ object: Object) -> ServiceAnswer {
    let named = [
      ("Content-Type", object.contentType ?? "binary/octet-stream"), ("Cache-Control", object.cacheControl),
      ("Content-Disposition", object.contentDisposition),
      ("Last-Modified", ServiceClock.httpDate(object.modified)),
      ("ETag", "\"\(object.bytes.count)\""),
    ]
    let fields = named.compactMap { name, value in value.map { Response.Field(name, $0) } }
    return ServiceAnswer(200, fields, object.bytes)
  }
}
