internal import Supporting

/// What a host name stands for.
struct HostAddresses: Equatable, Sendable {
  /// At least one, as the name servers gave them: nobody has judged them yet.
  var addresses: [IPAddress]
  /// How long they may be used again; zero where they are good for once.
  var lifetime: Duration
}
