internal import Fetching
internal import Supporting

extension MediaReport {
  /// What to do about a medium that was not there at the deadline. Names the host that was slow, and the step.
  func adviceOnDelay(storeHangs: Bool) -> String {
    let host = slowHost
    if storeHangs || !isWaitingForAnother && fetch.phase == .done {
      return "check the store, its disk or the network to it: the whole file was here, but not yet stored"
    }
    if isWaitingForAnother { return "make \(host) faster: another payload had begun this download" }
    return switch fetch.phase {
    case .queued: "allow more downloads at once with --concurrency and --memory, or run more workers"
    case .awaitingPermit:
      "make \(host) faster, or spread the media over more hosts: earlier downloads from it were not done"
    case .resolving:
      "check the name servers: they did not resolve \(host) in time; --name-servers names others"
    case .connecting:
      "check that \(host) is up, and that its firewall lets this machine in: no connection was established, or its TLS handshake did not finish"
    case .answering: "make \(host) answer faster: it had the request, and sent no answer"
    case .receiving: "send a smaller file, or make \(host) faster: \(arrived)"
    case .pausing: "check \(host): \(failures), and there was no time for another try"
    case .done: Reason.deadlineExceeded.advice
    }
  }

  private var arrived: String {
    let total = fetch.announced.map { " of \($0.asBytes)" } ?? ""
    return "\(fetch.received.asBytes)\(total) had arrived"
  }

  private var failures: String {
    fetch.hops.last?.error.map { "\($0)" } ?? "a try has failed"
  }

  /// The last recorded hop may have redirected to a host that is not recorded yet.
  private var slowHost: String {
    let url = fetch.hops.last?.url ?? self.url
    guard let host = try? RemoteURL(url).host else { return "the server" }
    let isRedirected = fetch.hops.last?.status.map { 300..<400 ~= $0 } ?? false
    return isRedirected ? "the host that \(host) redirects to" : host
  }
}
