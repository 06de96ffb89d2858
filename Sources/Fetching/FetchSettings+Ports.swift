internal import Supporting

extension FetchSettings {
  /// The TCP ports that fetches connect to: those of servers, and those of name servers, which are asked over
  /// TCP if an answer is too long for UDP.
  package var ports: Set<Int> {
    let named = nameServers?.split(separator: ",").map { server in
      IPAddress(String(server)) == nil ? server.hostAndPort.port.flatMap { Int($0) } : nil
    }
    let ports = allowedPorts.union([443]).union(allowsHTTP ? [80] : [])
    return ports.union((named ?? [nil]).map { $0 ?? 53 })
  }
}
