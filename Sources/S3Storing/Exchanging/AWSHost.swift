/// AWS's own servers.
enum AWSHost {
  /// The partitions: the start of the names of their regions, and their domain.
  private static let partitions = [
    ("cn-", "amazonaws.com.cn"), ("eusc-", "amazonaws.eu"), ("us-iso-", "c2s.ic.gov"),
    ("us-isob-", "sc2s.sgov.gov"), ("eu-isoe-", "cloud.adc-e.uk"), ("us-isof-", "csp.hci.ic.gov"),
    ("", "amazonaws.com"),
  ]

  static var domains: [String] { partitions.map(\.1) }

  /// - Parameter service: for example `s3`.
  static func url(of service: String, in region: String) -> ServiceURL {
    let domain = partitions.first { region.hasPrefix($0.0) }?.1 ?? "amazonaws.com"
    return ServiceURL(host: "\(service).\(region).\(domain)", port: 443)
  }

  static func isOwn(_ host: String) -> Bool { domains.contains { host.hasSuffix(".\($0)") } }
}
