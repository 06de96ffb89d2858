/// Whom a request has to be for. A page in a browser whose name was made to lead to this machine ("DNS rebinding") asks in that name, and
/// would read what is meant for those on the machine.
struct HostRule: Sendable {
  private let isForMachineOnly: Bool

  /// - Parameter address: that is listened at. One that others reach is reached by names that nobody here knows.
  init(listeningAt address: String) {
    isForMachineOnly = address.hasPrefix("127.") || address == "::1"
  }

  /// - Parameter field: the value of `Host`; nil where there is none, as with programs that are no browsers.
  func admits(_ field: String?) -> Bool {
    guard isForMachineOnly, let field else { return true }
    let host = field.hasPrefix("[") ? field.prefix { $0 != "]" }.dropFirst() : field.prefix { $0 != ":" }
    let digits = host.split(separator: ".", omittingEmptySubsequences: false)
    return host.lowercased() == "localhost" || host == "::1"
      || digits.count == 4 && digits[0] == "127" && digits.allSatisfy { UInt8($0) != nil }
  }
}
