internal import CCurl
internal import Supporting

/// An answer of S3 other than success, and what to do about it
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html).
struct S3Error: Equatable, Sendable {
  /// A change that makes another try worthwhile. Each is applied once.
  enum Remedy: Sendable {
    /// The clock of the server instead of this machine's.
    case clock
    case credentials
    /// The region that the answer names.
    case region
  }

  enum Treatment: Equatable, Sendable {
    /// It may work a moment later.
    case again
    case once(Remedy)
    case never
  }

  let status: Int
  /// One of S3's error codes. Nil if the answer has none, as after HEAD, or does not come from an
  /// object store.
  let code: String?
  /// The region that the bucket is in.
  let region: String?
  /// The host that a redirect leads to.
  let target: String?
  /// When it was sent, in seconds since 1970.
  let date: Int64?
  /// The place of the key that the request was signed with.
  let keyPlace: CredentialPlace?

  init(_ answer: HTTPAnswer, keyFrom place: CredentialPlace?) {
    keyPlace = place
    status = answer.status
    let text = XMLText(answer.body)
    code = Self.word(text["Code"])
    region = [answer["x-amz-bucket-region"], text["Region"]].lazy.compactMap { Self.word($0) }
      .first { $0.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2D } }
    target = answer["Location"].flatMap { location in
      let rest = location.split(separator: "://", maxSplits: 1).last ?? ""
      return Self.word(String(rest.prefix { !"/?#".contains($0) }.split(separator: "@").last ?? ""))
    }
    date = answer.time(of: "Date")
  }

  /// Whether it may mean that the server does not know `If-None-Match`. Some servers answer 501, others 400.
  var mayBeAboutCondition: Bool {
    let codes = ["InvalidArgument", "InvalidRequest", "NotImplemented"]
    return status == 501 || status == 400 && code.map(codes.contains) ?? true
  }

  var treatment: Treatment { row.treatment }
  var row: S3ErrorRow { .of(self) }

  /// `403 AccessDenied`.
  var name: String { code.map { "\(status) \($0)" } ?? "\(status)" }

  /// A word from a server that may be shown and logged: a code, a region or a host. Nil for anything else.
  private static func word(_ text: String?) -> String? {
    guard let text, 1...80 ~= text.utf8.count,
      text.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "-._:[]".utf8.contains($0) })
    else { return nil }
    return text
  }
}

extension HTTPAnswer {
  var isSuccess: Bool { 200..<300 ~= status }

  /// The time in a field, in seconds since 1970. Nil if there is none (RFC 9110 section 5.6.7).
  func time(of name: String) -> Int64? {
    guard let text = self[name] else { return nil }
    let seconds = unsafe curl_getdate(text, nil)
    return seconds > 0 ? Int64(seconds) : nil
  }
}
