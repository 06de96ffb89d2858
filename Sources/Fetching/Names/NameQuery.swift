internal import CAres
internal import Glibc
internal import Supporting

/// The query for one host name: a c-ares channel with its own sockets. Each name has its own
/// channel, because c-ares can only cancel all questions of a channel. Takes 75 KB and 30 µs. Reads
/// `/etc/hosts`, and then asks the name servers now in `/etc/resolv.conf` for A and AAAA together.
@safe final class NameQuery {
  private let host: String
  private let channel: ares_channel
  private let answers: NameAnswers
  // c-ares uses them until `deinit` has freed the channel.
  private let sockets: NameSockets

  /// - Parameter nameServers: used instead of the system's: `ADDRESS[:PORT]`, separated by commas.
  /// - Throws: `FetchError.resourcesExhausted`; `.dnsFailed` if `nameServers` is not a valid list.
  init(_ host: String, nameServers: String?, sockets watch: SocketWatch) throws(FetchError) {
    self.host = host
    answers = NameAnswers(host: host)
    sockets = NameSockets(watch)
    let argument = unsafe Unmanaged.passUnretained(sockets).toOpaque()
    var options = unsafe ares_options()
    unsafe options.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES
    // c-ares 1.18 (HostileEnvironmentTests) would still search domains, such as LOCALDOMAIN's.
    unsafe options.ndots = 0
    unsafe options.ndomains = 0
    // The next name server is asked after 0.4 s. Later rounds wait 0.8 s, 1.6 s, and so on: 12 s in
    // all, longer than the longest attempt. A late answer from an earlier server still counts.
    unsafe options.timeout = 400
    unsafe options.tries = 5
    // `/etc/hosts`, then name servers. Otherwise c-ares would read three more files for the order.
    let order = unsafe strdup("fb")
    defer { unsafe free(order) }
    unsafe options.lookups = unsafe order
    unsafe options.sock_state_cb_data = unsafe argument
    unsafe options.sock_state_cb = { sockets, descriptor, reads, writes in
      unsafe NameSockets.of(sockets)?.watch(descriptor, reads: reads != 0, writes: writes != 0)
    }
    var channel: ares_channel?
    let mask =
      ARES_OPT_FLAGS | ARES_OPT_NDOTS | ARES_OPT_DOMAINS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES
      | ARES_OPT_LOOKUPS | ARES_OPT_SOCK_STATE_CB
    guard unsafe ares_init_options(&channel, &options, mask) == ARES_SUCCESS, let channel = unsafe channel
    else {
      throw .resourcesExhausted(detail: "the resolver (c-ares) did not start")
    }
    unsafe self.channel = channel
    unsafe ares_set_socket_functions(channel, NameSockets.functions, argument)
    if let nameServers, unsafe ares_set_servers_ports_csv(channel, nameServers) != ARES_SUCCESS {
      throw .dnsFailed(host: nameServers, detail: "this is not a list of name servers", isTransient: false)
    }
    for family in [AF_INET, AF_INET6] { ask(family) }
  }

  // Answers all open questions, so that nothing leaks.
  deinit { unsafe ares_destroy(channel) }

  private func ask(_ family: Int32) {
    var hints = ares_addrinfo_hints()
    hints.ai_family = family
    // To sort the addresses, c-ares would connect a socket to each.
    hints.ai_flags = ARES_AI_NOSORT
    unsafe ares_getaddrinfo(
      channel, host, nil, &hints,
      { answers, status, _, answer in
        guard let answers = unsafe answers else { return }
        defer { unsafe ares_freeaddrinfo(answer) }
        let (addresses, lifetime) = unsafe NameQuery.read(answer)
        unsafe Unmanaged<NameAnswers>.fromOpaque(answers).takeRetainedValue().answer(
          status: status, addresses: addresses, lifetime: lifetime, at: .now)
      }, Unmanaged.passRetained(answers).toOpaque())
  }

  func outcome(at now: ContinuousClock.Instant) -> Result<HostAddresses, FetchError>? {
    let outcome = answers.outcome(at: now)
    guard sockets.hasRefused, case .failure = outcome else { return outcome }
    let detail = "the answer of a name server is longer than \(NameSockets.maximumAnswers) bytes"
    return .failure(.dnsFailed(host: host, detail: detail, isTransient: false))
  }

  var isHalfAnswered: Bool { answers.end != nil }
  func owns(_ descriptor: Int32) -> Bool { sockets.open.contains(descriptor) }

  /// When to call `act` even if no socket is ready.
  var due: ContinuousClock.Instant? {
    var time = timeval()
    let isPending = unsafe ares_timeout(channel, nil, &time) != nil
    let next = isPending ? .now + .seconds(time.tv_sec) + .microseconds(time.tv_usec) : answers.end
    return next.map { min($0, answers.end ?? $0) }
  }

  /// Reads from and writes to the socket of `event`. If `event` is nil, only handles timeouts.
  func act(on event: SocketWatch.Event?) {
    let descriptor = event?.descriptor ?? ARES_SOCKET_BAD
    unsafe ares_process_fd(
      channel, event?.reads == true ? descriptor : ARES_SOCKET_BAD,
      event?.writes == true ? descriptor : ARES_SOCKET_BAD)
  }

  /// The addresses and the shortest lifetime: zero from `/etc/hosts`, nil if there are no records.
  private static func read(_ answer: UnsafeMutablePointer<ares_addrinfo>?) -> ([IPAddress], Duration?) {
    var addresses: [IPAddress] = []
    var lifetimes: [Int32] = []
    var node = unsafe answer?.pointee.nodes
    while let current = unsafe node?.pointee {
      if let address = unsafe current.ai_addr.flatMap({ unsafe IPAddress($0) }) { addresses.append(address) }
      unsafe lifetimes.append(current.ai_ttl)
      unsafe node = current.ai_next
    }
    var alias = unsafe answer?.pointee.cnames
    while let current = unsafe alias?.pointee {
      unsafe lifetimes.append(current.ttl)
      unsafe alias = current.next
    }
    // Lifetimes with the highest bit set count as zero (RFC 2181 section 8).
    return (addresses, lifetimes.min().map { .seconds(max(0, $0)) })
  }
}
