internal import CAres
internal import Glibc
internal import Supporting

/// A host name that is being asked for: c-ares, with sockets of its own. One for each name, because c-ares
/// can give up all questions of a channel or none. It takes 75 KB and 30 µs. After `/etc/hosts`, the name
/// servers of `/etc/resolv.conf`, as they are now, are asked for A and AAAA at once.
@safe final class NameQuery {
  private let host: String
  private let channel: ares_channel
  private let answers: NameAnswers
  // c-ares calls them until `deinit` has freed it, and until then they are there.
  private let sockets: NameSockets

  /// - Parameter nameServers: asked instead of the system's, `ADDRESS[:PORT]` separated by commas.
  /// - Throws: `FetchError.resourcesExhausted`; `.dnsFailed` if `nameServers` is no such list.
  init(_ host: String, nameServers: String?, sockets watch: SocketWatch) throws(FetchError) {
    let sockets = NameSockets(watch)
    self.sockets = sockets
    var options = unsafe ares_options()
    unsafe options.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES
    // c-ares 1.18 (HostileEnvironmentTests) searches domains all the same, such as those of LOCALDOMAIN.
    unsafe options.ndots = 0
    unsafe options.ndomains = 0
    // The next name server is asked after 0.4 s; after all, again for 0.8 s, 1.6 s and so on: 12 s in all,
    // longer than the longest attempt. What the first one answers meanwhile still counts.
    unsafe options.timeout = 400
    unsafe options.tries = 5
    // `/etc/hosts`, then name servers. Otherwise it would read three more files each time to find out.
    let order = unsafe strdup("fb")
    defer { unsafe free(order) }
    unsafe options.lookups = unsafe order
    unsafe options.sock_state_cb_data = Unmanaged.passUnretained(sockets).toOpaque()
    unsafe options.sock_state_cb = { sockets, descriptor, reads, writes in
      unsafe NameSockets.of(sockets)?.watch(descriptor, reads: reads != 0, writes: writes != 0)
    }
    var channel: ares_channel?
    let mask =
      ARES_OPT_FLAGS | ARES_OPT_NDOTS | ARES_OPT_DOMAINS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES
      | ARES_OPT_LOOKUPS | ARES_OPT_SOCK_STATE_CB
    guard unsafe ares_init_options(&channel, &options, mask) == ARES_SUCCESS,
      let channel = unsafe channel
    else {
      throw .resourcesExhausted(detail: "the resolver (c-ares) did not start")
    }
    unsafe self.channel = channel
    self.host = host
    answers = NameAnswers(host: host)
    unsafe ares_set_socket_functions(
      channel, NameSockets.functions, Unmanaged.passUnretained(sockets).toOpaque())
    if let nameServers, unsafe ares_set_servers_ports_csv(channel, nameServers) != ARES_SUCCESS {
      throw .dnsFailed(host: nameServers, detail: "no list of name servers", isTransient: false)
    }
    for family in [AF_INET, AF_INET6] { ask(host, family) }
  }

  // Answers what is open, so that nothing is left behind.
  deinit { unsafe ares_destroy(channel) }

  private func ask(_ host: String, _ family: Int32) {
    var hints = ares_addrinfo_hints()
    hints.ai_family = family
    // To put them into order c-ares would connect a socket to each.
    hints.ai_flags = ARES_AI_NOSORT
    let answers = unsafe Unmanaged.passRetained(answers).toOpaque()
    unsafe ares_getaddrinfo(
      channel, host, nil, &hints,
      { argument, status, _, answer in
        guard let argument = unsafe argument else { return }
        defer { unsafe ares_freeaddrinfo(answer) }
        unsafe Unmanaged<NameAnswers>.fromOpaque(argument).takeRetainedValue().answer(
          status: status, addresses: NameQuery.addresses(in: answer),
          lifetime: NameQuery.lifetime(of: answer), at: .now)
      }, answers)
  }

  func outcome(at now: ContinuousClock.Instant) -> Result<HostAddresses, FetchError>? {
    let outcome = answers.outcome(at: now)
    guard sockets.hasRefused, case .failure = outcome else { return outcome }
    let detail = "what a name server answers is longer than \(NameSockets.maximumAnswers) bytes"
    return .failure(.dnsFailed(host: host, detail: detail, isTransient: false))
  }

  var isHalfAnswered: Bool { answers.end != nil }

  func owns(_ descriptor: Int32) -> Bool { sockets.open.contains(descriptor) }

  /// When something is to be done without a socket's asking; nil if there will be nothing.
  var due: ContinuousClock.Instant? {
    var time = timeval()
    let isPending = unsafe ares_timeout(channel, nil, &time) != nil
    let next = isPending ? .now + .seconds(time.tv_sec) + .microseconds(time.tv_usec) : answers.end
    return next.map { min($0, answers.end ?? $0) }
  }

  /// Reads and writes on one of its sockets. If `event` is nil, only looks at what has timed out.
  func act(on event: SocketWatch.Event?) {
    let descriptor = event?.descriptor ?? ARES_SOCKET_BAD
    unsafe ares_process_fd(
      channel, event?.reads == true ? descriptor : ARES_SOCKET_BAD,
      event?.writes == true ? descriptor : ARES_SOCKET_BAD)
  }

  private static func nodes(of answer: UnsafeMutablePointer<ares_addrinfo>?) -> [ares_addrinfo_node] {
    var (nodes, next) = unsafe ([ares_addrinfo_node](), answer?.pointee.nodes)
    while let node = unsafe next?.pointee {
      unsafe nodes.append(node)
      unsafe next = node.ai_next
    }
    return unsafe nodes
  }

  private static func addresses(in answer: UnsafeMutablePointer<ares_addrinfo>?) -> [IPAddress] {
    unsafe nodes(of: answer).compactMap { unsafe $0.ai_addr.flatMap { unsafe IPAddress(UnsafePointer($0)) } }
  }

  /// Zero for what stands in `/etc/hosts`, nil for no record at all.
  private static func lifetime(of answer: UnsafeMutablePointer<ares_addrinfo>?) -> Duration? {
    var lifetimes = unsafe nodes(of: answer).map { unsafe $0.ai_ttl }
    var alias = unsafe answer?.pointee.cnames
    while let current = unsafe alias {
      unsafe lifetimes.append(current.pointee.ttl)
      unsafe alias = current.pointee.next
    }
    // Those with the highest bit set count as zero (RFC 2181 section 8).
    return lifetimes.min().map { .seconds(max(0, $0)) }
  }
}
