internal import CAres
internal import Supporting

/// What c-ares hands out, read.
extension NameQuery {
  static func addresses(in answer: UnsafeMutablePointer<ares_addrinfo>?) -> [IPAddress] {
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

  /// The shortest of its records' times to live, those of aliases included; zero for what stands in
  /// `/etc/hosts`, nil for no record at all.
  static func lifetime(of answer: UnsafeMutablePointer<ares_addrinfo>?) -> Duration? {
    var lifetimes: [Int32] = []
    var node = unsafe answer?.pointee.nodes
    while let current = unsafe node {
      unsafe lifetimes.append(current.pointee.ai_ttl)
      unsafe node = current.pointee.ai_next
    }
    var alias = unsafe answer?.pointee.cnames
    while let current = unsafe alias {
      unsafe lifetimes.append(current.pointee.ttl)
      unsafe alias = current.pointee.next
    }
    // Those with the highest bit set count as zero (RFC 2181 section 8).
    return lifetimes.min().map { .seconds(max(0, $0)) }
  }
}
