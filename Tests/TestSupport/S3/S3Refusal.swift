package import Misbehaving

/// An error of S3, with the status, the fields and the XML that AWS sends
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html).
package struct S3Refusal: Error, Equatable, Sendable {
  package var status: Int
  package var code: String
  package var message: String
  /// Elements after the message, such as `Region`.
  package var elements: [Response.Field]
  package var fields: [Response.Field]

  package init(
    _ status: Int, _ code: String, _ message: String, elements: [Response.Field] = [],
    fields: [Response.Field] = []
  ) {
    self.status = status
    self.code = code
    self.message = message
    self.elements = elements
    self.fields = fields
  }

  var answer: ServiceAnswer {
    let all = [Response.Field("Code", code), Response.Field("Message", message)] + elements
    let identity = [Response.Field("RequestId", "TX4PA0E2K5"), Response.Field("HostId", "aGVsbG8=")]
    let xml = (all + identity).map { "<\($0.name)>\(Self.escape($0.value))</\($0.name)>" }.joined()
    var answer = ServiceAnswer(
      #"<?xml version="1.0" encoding="UTF-8"?>"# + "\n<Error>\(xml)</Error>", as: "application/xml",
      status: status)
    answer.fields += fields
    answer.isChunked = true
    return answer
  }

  static func escape(_ text: String) -> String {
    text.map { $0 == "&" ? "&amp;" : $0 == "<" ? "&lt;" : $0 == ">" ? "&gt;" : String($0) }.joined()
  }
}

/// Errors that pass by themselves.
extension S3Refusal {
  package static let internalError = S3Refusal(
    500, "InternalError", "We encountered an internal error. Please try again.")
  package static let slowDown = S3Refusal(503, "SlowDown", "Please reduce your request rate.")
  package static let serviceUnavailable = S3Refusal(
    503, "ServiceUnavailable", "Service is unable to handle request.")
  package static let requestTimeout = S3Refusal(
    400, "RequestTimeout",
    "Your socket connection to the server was not read from or written to within the timeout period. "
      + "Idle connections will be closed.")
  package static let operationAborted = S3Refusal(
    409, "OperationAborted",
    "A conflicting conditional operation is currently in progress against this resource. Please try again.")
  package static let conditionalRequestConflict = S3Refusal(
    409, "ConditionalRequestConflict",
    "The conditional request cannot succeed due to a conflicting operation against this resource.")
}

/// Errors that stay until somebody changes a setting.
extension S3Refusal {
  package static let accessDenied = S3Refusal(403, "AccessDenied", "Access Denied")
  package static let preconditionFailed = S3Refusal(
    412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold",
    elements: [Response.Field("Condition", "If-None-Match")])
  package static let notImplemented = S3Refusal(
    501, "NotImplemented", "A header you provided implies functionality that is not implemented",
    elements: [Response.Field("Header", "If-None-Match")])
  package static let invalidArgument = S3Refusal(
    400, "InvalidArgument", "Invalid Argument", elements: [Response.Field("ArgumentName", "If-None-Match")])
  package static let noSuchKey = S3Refusal(404, "NoSuchKey", "The specified key does not exist.")
  package static let badDigest = S3Refusal(
    400, "BadDigest", "The SHA256 you specified did not match the calculated checksum.")
  package static let methodNotAllowed = S3Refusal(
    405, "MethodNotAllowed", "The specified method is not allowed against this resource.")

  package static func noSuchBucket(_ bucket: String) -> S3Refusal {
    S3Refusal(
      404, "NoSuchBucket", "The specified bucket does not exist",
      elements: [Response.Field("BucketName", bucket)])
  }

  package static func invalidAccessKeyID(_ accessKey: String) -> S3Refusal {
    S3Refusal(
      403, "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records.",
      elements: [Response.Field("AWSAccessKeyId", accessKey)])
  }

  /// Repeats what was signed, as S3 does.
  package static func signatureDoesNotMatch(_ accessKey: String, _ text: String, _ canonical: String)
    -> S3Refusal
  {
    S3Refusal(
      403, "SignatureDoesNotMatch",
      "The request signature we calculated does not match the signature you provided. Check your key and "
        + "signing method.",
      elements: [
        Response.Field("AWSAccessKeyId", accessKey), Response.Field("StringToSign", text),
        Response.Field("CanonicalRequest", canonical),
      ])
  }

  /// - Parameters: the times in seconds since 1970.
  package static func requestTimeTooSkewed(_ request: Int64, server: Int64) -> S3Refusal {
    S3Refusal(
      403, "RequestTimeTooSkewed",
      "The difference between the request time and the current time is too large.",
      elements: [
        Response.Field("RequestTime", ServiceClock.amzDate(request)),
        Response.Field("ServerTime", ServiceClock.timestamp(server)),
        Response.Field("MaxAllowedSkewMilliseconds", "900000"),
      ])
  }

  /// Repeats the token, as S3 does.
  package static func expiredToken(_ token: String) -> S3Refusal {
    S3Refusal(
      400, "ExpiredToken", "The provided token has expired.", elements: [Response.Field("Token-0", token)])
  }

  package static func invalidToken(_ token: String) -> S3Refusal {
    S3Refusal(
      400, "InvalidToken", "The provided token is malformed or otherwise invalid.",
      elements: [Response.Field("Token-0", token)])
  }

  /// Tells the right region, in the element and in the field: an answer to HEAD has no element.
  package static func wrongRegion(_ given: String, expecting region: String) -> S3Refusal {
    S3Refusal(
      400, "AuthorizationHeaderMalformed",
      "The authorization header is malformed; the region '\(given)' is wrong; expecting '\(region)'",
      elements: [Response.Field("Region", region)], fields: [Response.Field("x-amz-bucket-region", region)])
  }

  package static func malformed(_ reason: String) -> S3Refusal {
    S3Refusal(
      400, "AuthorizationHeaderMalformed", "The authorization header is malformed; \(reason)")
  }

  /// 301, without `Location`, as S3 sends it.
  package static func permanentRedirect(to endpoint: String, region: String) -> S3Refusal {
    S3Refusal(
      301, "PermanentRedirect",
      "The bucket you are attempting to access must be addressed using the specified endpoint. Please send "
        + "all future requests to this endpoint.",
      elements: [Response.Field("Endpoint", endpoint)],
      fields: [Response.Field("x-amz-bucket-region", region)])
  }

  /// 307 with `Location`, as S3 sends it until the names of a new bucket are known everywhere.
  package static func temporaryRedirect(to location: String) -> S3Refusal {
    S3Refusal(
      307, "TemporaryRedirect",
      "Please re-send this request to the specified temporary endpoint. Continue to use the original request "
        + "endpoint for future requests.",
      fields: [Response.Field("Location", location)])
  }

  package static func contentMismatch(_ given: String, _ computed: String) -> S3Refusal {
    S3Refusal(
      400, "XAmzContentSHA256Mismatch",
      "The provided 'x-amz-content-sha256' header does not match what was computed.",
      elements: [
        Response.Field("ClientComputedContentSHA256", given),
        Response.Field("S3ComputedContentSHA256", computed),
      ])
  }
}
