internal import Dispatch
internal import Glibc
internal import Notifications
internal import Supporting

/// Asks a service for credentials. Its errors name the service.
struct CredentialExchange: Sendable {
  private static let tries = 3

  let place: CredentialPlace
  let means: CredentialMeans
  /// The time for one try.
  let limit: Duration

  /// Returns the answer if its status is 200. Repeats a failed try if there is time. Otherwise, all payloads
  /// would pay for a single lost packet.
  func ask(_ request: HTTPRequest) async throws(CredentialError) -> HTTPAnswer {
    let end = ContinuousClock.now + limit + .seconds(3)
    var tries = 1
    while true {
      do throws(CredentialError) {
        return try await askOnce(request)
      } catch {
        // Random, because all machines ask again after an outage.
        let pause = Duration.milliseconds(200 * tries) * Double.random(in: 0..<1)
        guard tries < Self.tries, error.mayTryAgain, .now + pause + limit < end else { throw error }
        try? await Task.sleep(for: pause)
        tries += 1
      }
    }
  }

  /// Asks for the credentials themselves.
  /// - Parameter read: returns nil if the body has no credentials.
  func credentials(
    _ request: HTTPRequest, _ read: ([UInt8]) -> Credentials?
  ) async throws(CredentialError) -> Credentials {
    let answer = try await ask(request)
    guard var credentials = read(answer.body) else {
      throw .unusableAnswer(place, server: request.url.server)
    }
    if let end = credentials.end, let date = answer.time(of: "Date") {
      // The end is a time of the service's clock, and this machine's clock may be hours off. The difference
      // is rounded to minutes, so that the same credentials stay equal.
      let minutes = (Double(means.now - date) / 60).rounded()
      credentials.end = end + Int64(minutes) * 60
    }
    return credentials
  }

  private func askOnce(_ request: HTTPRequest) async throws(CredentialError) -> HTTPAnswer {
    let server = request.url.server
    let answer: HTTPAnswer
    do throws(HTTPFailure) { answer = try await means.send(request, limit) } catch {
      throw .noAnswer(place, server: server, error)
    }
    guard answer.status == 200 else {
      throw .refused(place, server: server, status: answer.status, code: Self.code(in: answer.body))
    }
    if answer.isCut { throw .unusableAnswer(place, server: server) }
    return answer
  }

  /// The service's error code. The rest of its answer may repeat a token.
  private static func code(in body: [UInt8]) -> String? {
    let root = try? JSONDocument(body, maximumDepth: 8).root
    let code = XMLText(body)["Code"] ?? root?.given("code")?.string ?? root?.given("Code")?.string
    return code.flatMap { $0.utf8.count <= 64 && $0.utf8.allSatisfy(\.isASCIILetter) ? $0 : nil }
  }
}

extension CredentialMeans {
  /// The token in a file. Read each time, because the file is replaced before the token expires.
  func token(in path: String, for place: CredentialPlace) async throws(CredentialError) -> String {
    try await disk.run { () throws(CredentialError) in try CredentialFile.token(path, for: place) }
  }
}

enum CredentialFile {
  /// - Parameter maximum: the maximum length, in bytes.
  /// - Returns: nil if there is no such file.
  static func contents(
    _ path: String, maximum: Int, for place: CredentialPlace
  ) throws(CredentialError) -> String? {
    // Without O_NONBLOCK, opening a FIFO would wait for a writer. This way, it is empty.
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      if [ENOENT, ENOTDIR].contains(errno) { return nil }
      throw .unreadableFile(place, path: path, code: errno)
    }
    defer { close(file) }
    guard let bytes = FileBytes.read(file, maximum: maximum) else {
      throw .unreadableFile(place, path: path, code: errno)
    }
    guard bytes.count <= maximum, let text = String(validating: bytes, as: UTF8.self) else {
      throw .unusableFile(place, path: path, rule: "it has at most \(maximum) bytes of UTF-8")
    }
    return text
  }

  fileprivate static func token(_ path: String, for place: CredentialPlace) throws(CredentialError) -> String
  {
    guard let text = try contents(path, maximum: 65_536, for: place) else {
      throw .unreadableFile(place, path: path, code: ENOENT)
    }
    let token = text.split(whereSeparator: \.isWhitespace)
    guard token.count == 1, token[0].utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      throw .unusableFile(place, path: path, rule: "it has one token of visible ASCII characters")
    }
    return String(token[0])
  }
}
