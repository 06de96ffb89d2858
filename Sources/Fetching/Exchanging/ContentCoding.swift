enum ContentCoding {
  /// IANA's HTTP Content Coding Registry (RFC 9110 section 16.6.1), without `identity`.
  private static let registered: Set<String> = [
    "aes128gcm", "br", "compress", "dcb", "dcz", "deflate", "exi", "gzip", "pack200-gzip", "x-compress",
    "x-gzip", "zstd",
  ]

  /// The codings that a Content-Encoding names, in lower case. Servers also send words that are not codings and
  /// do not change the bytes: `aws-chunked`, `UTF-8`, `none`, `binary`, `image/jpeg`. Returns nil for a value that
  /// was cut off, because the missing part may name a coding.
  static func codings(in value: String) -> [String]? {
    value.utf8.count > 190
      ? nil : value.lowercased().split { ", \t".contains($0) }.map { String($0) }.filter(registered.contains)
  }
}
