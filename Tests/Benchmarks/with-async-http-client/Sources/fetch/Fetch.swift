import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Fetches the URLs of stdin, one a line, as many at once as its second argument says, into the directory
/// that is its first: hashed, sniffed, and under their SHA-256.
@main
struct Fetch {
  static func main() async throws {
    let words = CommandLine.arguments
    guard words.count == 3, let slots = Int(words[2]), slots > 0 else {
      throw FetchError.usage
    }
    var configuration = HTTPClient.Configuration()
    // Eight for each host otherwise.
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = slots
    let client = HTTPClient(configuration: configuration)
    let fetch = Fetch(directory: words[1], client: client, sniffer: try Sniffer())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<slots { fetch.next(in: &group) }
      while try await group.next() != nil { fetch.next(in: &group) }
    }
    try await client.shutdown()
  }

  let directory: String
  let client: HTTPClient
  let sniffer: Sniffer

  /// Adds the next download to those that run, if there is one.
  private func next(in group: inout ThrowingTaskGroup<Void, any Error>) {
    guard let url = readLine() else { return }
    group.addTask { try await keep(url) }
  }

  private func keep(_ url: String) async throws {
    let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
    guard response.status == .ok else { throw FetchError.status(response.status.code) }
    var file = try StoredFile(in: directory)
    for try await piece in response.body { try file.write(piece) }
    try file.keep(sniffer)
  }
}
