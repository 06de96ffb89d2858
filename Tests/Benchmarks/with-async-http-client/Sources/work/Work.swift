import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Enriches the payloads of stdin, one per line, and writes the results to stdout. The first
/// argument is the directory of the files, and the second one is the number of payloads at once.
/// Before a result is written, its media are hashed, sniffed, and on the disk under the name of
/// their SHA-256.
@main
struct Work {
  /// The limit of iOS for an image in bytes. A video may be five times as large.
  private static let imageSize = 10_485_760

  static func main() async throws {
    let words = CommandLine.arguments
    guard words.count == 3, let slots = Int(words[2]), slots > 0 else {
      throw WorkError.usage
    }
    var configuration = HTTPClient.Configuration()
    // The default is eight per host.
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = slots
    let client = HTTPClient(configuration: configuration)
    let work = Work(client: client, store: try Store(words[1]), sniffer: try Sniffer())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<slots { work.next(in: &group) }
      while try await group.next() != nil { work.next(in: &group) }
    }
    try await client.shutdown()
  }

  let client: HTTPClient
  let store: Store
  let sniffer: Sniffer

  /// Adds the next payload to the group, if there is one.
  private func next(in group: inout ThrowingTaskGroup<Void, any Error>) {
    guard let line = readLine() else { return }
    group.addTask { try await enrich(line) }
  }

  private func enrich(_ line: String) async throws {
    let payload = try Payload(line)
    let request = HTTPClientRequest(url: payload.mediaURL)
    let response = try await client.execute(request, timeout: .seconds(30))
    guard response.status == .ok else { throw WorkError.status(response.status.code) }
    var file = try IncomingFile(in: store.path)
    for try await piece in response.body {
      try file.write(piece)
      guard file.size <= 5 * Self.imageSize else { throw WorkError.tooLarge }
    }
    guard let type = sniffer.type(of: file.head) else { throw WorkError.type }
    guard type.hasPrefix("video/") || file.size <= Self.imageSize else { throw WorkError.tooLarge }
    let finished = file.finish(as: type)
    try await store.keep(finished)
    // One call, because each call holds the lock of stdout.
    print(try payload.attaching(finished.name, type: type, size: finished.size))
  }
}
