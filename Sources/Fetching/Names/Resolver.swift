internal import CAres
internal import Glibc

/// Host names become addresses through c-ares, on the transfer loop's thread: no lookup ever holds a thread, so that a name
/// server that does not answer delays nobody but who asked for it.
///
/// `/etc/hosts` is read first, then the name servers of `/etc/resolv.conf` are asked for A and AAAA at once. Search domains and
/// `HOSTALIASES` are left out: a media URL's host is a full name.
@safe final class Resolver {
  typealias Completion = (Result<[IPAddress], FetchError>) -> Void

  private let channel: ares_channel
  /// Those that one family has answered with addresses: they go on without the other one in a moment.
  private var halfAnswered: [Lookup] = []

  /// - Parameter nameServers: asked instead of the system's, `ADDRESS[:PORT]` separated by commas.
  /// - Throws: `FetchError.resourcesExhausted` when c-ares cannot start, `.dnsFailed` when `nameServers` is no such list.
  init(nameServers: String?) throws(FetchError) {
    var options = unsafe ares_options()
    unsafe options.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES
    // Asked again after 2, 4, 8 and 16 s: that is more than the longest deadline, so it never gives up before the fetch does.
    unsafe options.timeout = 2_000
    unsafe options.tries = 5
    var channel: ares_channel?
    let mask = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES
    guard unsafe ares_init_options(&channel, &options, mask) == ARES_SUCCESS, let channel = unsafe channel
    else {
      throw .resourcesExhausted(detail: "the resolver (c-ares) did not start")
    }
    unsafe self.channel = channel
    if let nameServers, unsafe ares_set_servers_ports_csv(channel, nameServers) != ARES_SUCCESS {
      throw .dnsFailed(host: nameServers, detail: "no list of name servers", isTransient: false)
    }
  }

  deinit { unsafe ares_destroy(channel) }

  /// Calls `completion` once, perhaps before this returns, with at least one address or `FetchError.dnsFailed`.
  func lookUp(_ host: String, completion: @escaping Completion) {
    let lookup = Lookup(host: host, completion: completion)
    for family in [AF_INET, AF_INET6] {
      var hints = ares_addrinfo_hints()
      hints.ai_family = family
      let question = unsafe Unmanaged.passRetained(Question(lookup: lookup, resolver: self)).toOpaque()
      unsafe ares_getaddrinfo(
        channel, host, nil, &hints,
        { argument, status, _, answer in
          guard let argument = unsafe argument else { return }
          let question = unsafe Unmanaged<Question>.fromOpaque(argument).takeRetainedValue()
          let addresses = unsafe Resolver.addresses(in: answer)
          unsafe ares_freeaddrinfo(answer)
          question.lookup.answer(status: status, addresses: addresses)
          if question.lookup.isHalfAnswered { question.resolver?.halfAnswered.append(question.lookup) }
        }, question)
    }
  }

  /// The sockets to watch, and what for.
  func sockets() -> [(descriptor: Int32, reads: Bool, writes: Bool)] {
    var descriptors = [ares_socket_t](repeating: -1, count: Int(ARES_GETSOCK_MAXNUM))
    let bits = unsafe ares_getsock(channel, &descriptors, ARES_GETSOCK_MAXNUM)
    return descriptors.enumerated().compactMap { index, descriptor in
      let reads = bits & (1 << Int32(index)) != 0
      let writes = bits & (1 << (Int32(index) + ARES_GETSOCK_MAXNUM)) != 0
      return reads || writes ? (descriptor, reads, writes) : nil
    }
  }

  /// Milliseconds until something is to be done without a socket's asking, `maximum` at most.
  func timeout(maximum: Int32) -> Int32 {
    var time = timeval()
    let isPending = unsafe ares_timeout(channel, nil, &time) != nil
    let next = isPending ? Int32(clamping: time.tv_sec * 1_000 + time.tv_usec / 1_000 + 1) : maximum
    let patience = halfAnswered.compactMap { $0.patience }.map { Int32(clamping: $0.milliseconds + 1) }
    return max(0, min(next, maximum, patience.min() ?? maximum))
  }

  /// Reads and writes on `descriptor`, or looks only at what has timed out when it is nil.
  func process(_ descriptor: Int32?, reads: Bool = false, writes: Bool = false) {
    unsafe ares_process_fd(
      channel, reads ? descriptor ?? ARES_SOCKET_BAD : ARES_SOCKET_BAD,
      writes ? descriptor ?? ARES_SOCKET_BAD : ARES_SOCKET_BAD)
    for lookup in halfAnswered where (lookup.patience ?? .zero) <= .zero { lookup.complete() }
    halfAnswered.removeAll { !$0.isHalfAnswered }
  }

  private static func addresses(in answer: UnsafeMutablePointer<ares_addrinfo>?) -> [IPAddress] {
    var addresses: [IPAddress] = []
    var node = unsafe answer?.pointee.nodes
    while let current = unsafe node {
      if let address = unsafe current.pointee.ai_addr.flatMap({ unsafe IPAddress(UnsafePointer($0)) }) {
        addresses.append(address)
      }
      unsafe node = current.pointee.ai_next
    }
    return addresses
  }
}

/// One question of a lookup, while c-ares holds it.
private final class Question {
  let lookup: Lookup
  weak var resolver: Resolver?

  init(lookup: Lookup, resolver: Resolver) {
    self.lookup = lookup
    self.resolver = resolver
  }
}
