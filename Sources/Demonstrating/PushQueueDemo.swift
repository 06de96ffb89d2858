internal import BuiltInQueueing
internal import DeviceAPI
internal import Dispatch
internal import Glibc
internal import Misbehaving
internal import Notifications
internal import PushQueueing
internal import Queueing
internal import Sending
internal import Serving
internal import Supporting
internal import Synchronization

/// A phone that is away while pushes are sent to it. Everything except the phone and APNs is real.
package struct PushQueueDemo {
  private static let device = AppDevice(
    app: "com.example.app", device: "6F1C7B0E-1C9A-4E8B-9B7A-3D5E8F2A1C4D")
  private static let token = "de71ce70"
  private static let texts = [
    "Anna: Are you there?", "Anna: The train is late.", "Ben: I have the tickets.", "Anna: Platform 9 now.",
    "Ben: Hurry!", "Anna: We are on board.",
  ]

  private let show: @Sendable (String) -> Void

  package init(show: @escaping @Sendable (String) -> Void) { self.show = show }

  /// - Returns: how many pushes are not recovered.
  package func run() async throws -> Int {
    let folder = try TemporaryFolder()
    let (keyFile, caFile) = ("\(folder.path)/AuthKey.p8", "\(folder.path)/certificate.pem")
    let certificate = try ServerCertificate(for: "IP:127.0.0.1")
    try certificate.write(to: caFile)
    let phone = Phone()
    var behaviour = APNsBehaviour.healthy
    behaviour.keepsBodies = true
    let mock = try MockAPNs(
      behaviour, key: APNsKey(), tls: TLSServerContext(certificate, speaking: .http2),
      deliveringWith: phone.take)
    try mock.key.write(to: keyFile)
    let target = try QueueKind.builtIn.url(mock.target(key: keyFile), defaultQueue: "")
      .open(in: Queues(certificateFile: caFile), for: .adding, createsFile: false)
    guard let sink = target as? APNsSink else { throw DemoError("apns:// is missing in this build") }
    let queue = try PushQueueKind.builtIn.url("sqlite:\(folder.path)/push-queue.db")
      .open(PushQueueLimits(), certificateFile: nil) { _ in }
    let keys = try TicketKeys(path: Self.ticketKey(in: folder.path))
    let numbering = PushNumbering(with: queue, keys: keys)
    sink.number(with: numbering)
    let resending = Task { await Resender(to: sink, with: numbering) { _ in }.run() }
    let api = try await DeviceAPI.start(
      DeviceAPISettings(at: Endpoint("127.0.0.1:0")), queue: queue, keys: keys)
    let missing = try await story(sink, phone, api.endpoint.port)
    resending.cancel()
    await api.stop()
    await mock.stop()
    return missing
  }

  private func story(_ sink: APNsSink, _ phone: Phone, _ port: Int) async throws -> Int {
    try await send(Self.texts.prefix(1), to: sink)
    let first = phone.arrivals.last
    show("The phone is there, and shows push \(first?.position ?? 0):\n  \(first?.text ?? "")\n")
    phone.isAway = true
    show("Then it is away. Five more pushes are sent, and APNs accepts all of them:")
    try await send(Self.texts.dropFirst(), to: sink)
    for text in Self.texts.dropFirst() { show("  200  \(text)") }
    let last = phone.arrivals.last
    show(
      """

      APNs keeps one push for a phone that is away. The phone is back, and gets push \(last?.position ?? 0):
        \(last?.text ?? "")
      """)
    phone.isAway = false
    guard let first, let last else { throw DemoError("the mock of APNs has delivered no push") }
    let count = last.position - first.position - 1
    show(
      "The last one it had was push \(first.position), so the app's extension knows that \(count) are missing. It asks:\n"
    )
    let question =
      #"{"app":"\#(Self.device.app)","device":"\#(Self.device.device)","e":\#(last.epoch),"last":\#(last.position),"count":\#(count),"seen":1}"#
    show("  POST /v1/missed  \(question)")
    show("  \(try await Self.post(question, ticket: last.ticket, to: port))\n")
    for _ in 0..<100 where phone.arrivals.count < count { try await Task.sleep(for: .milliseconds(50)) }
    show("They are sent again, oldest first, and the phone shows them:")
    let recovered = phone.arrivals
    for push in recovered { show("  \(push.position)  \(push.text)") }
    show("\n\(recovered.count) of \(count) missed pushes recovered.")
    return count - recovered.count
  }

  private func send(_ texts: some Sequence<String>, to sink: APNsSink) async throws {
    let messages = texts.map { text in
      Message(
        body: Array(#"{"aps":{"alert":"\#(text)","mutable-content":1}}"#.utf8),
        headers: [
          Header(Message.deviceTokenHeader, Self.token), Header(Message.deviceIDHeader, Self.device.device),
          Header("apns-topic", Self.device.app),
        ])
    }
    try await sink.publish(messages)
  }

  private static func ticketKey(in folder: String) throws -> String {
    let path = "\(folder)/ticket-key"
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    var key = InlineArray<32, UInt8>(repeating: 0)
    unsafe arc4random_buf(&key, 32)
    guard file >= 0, FileBytes.write(Array(String(hexadecimal: key.span).utf8), to: file) else {
      throw DemoError("\(path): \(String(errno: errno)): set TMPDIR to a writable folder")
    }
    return path
  }

  /// - Returns: the status and the body of the answer.
  private static func post(_ body: String, ticket: String, to port: Int) async throws -> String {
    let request =
      "POST /v1/missed HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(ticket)\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    let answer = await DispatchQueue(label: "push-enricher.demo").run { () -> [UInt8] in
      let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(connection) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
      address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
      let isConnected = unsafe withUnsafeBytes(of: &address) { bytes in
        unsafe bytes.baseAddress.map {
          unsafe connect(connection, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) == 0
        } ?? false
      }
      guard isConnected, FileBytes.write(Array(request.utf8), to: connection) else { return [] }
      return FileBytes.read(connection, maximum: 4_096) ?? []
    }
    let parts = String(decoding: answer, as: UTF8.self).split(
      separator: "\r\n", omittingEmptySubsequences: false)
    guard let status = parts.first?.split(separator: " ", maxSplits: 1).last else {
      throw DemoError("the device API does not answer")
    }
    return "\(status)  \(parts.last ?? "")"
  }
}

/// Keeps the pushes that APNs delivers to it. While it is away, APNs keeps only the last push.
private final class Phone: Sendable {
  struct Arrival: Sendable {
    let position, epoch: Int
    let ticket, text: String
  }

  private let state = Mutex((arrivals: [Arrival](), isAway: false))

  /// The pushes since the phone last went away or came back.
  var arrivals: [Arrival] { state.withLock { $0.arrivals } }

  var isAway: Bool {
    get { state.withLock { $0.isAway } }
    set { state.withLock { $0 = ([], newValue) } }
  }

  func take(_ push: AcceptedPush) {
    guard let root = try? JSONDocument(push.body).root, let mark = root["q"],
      let position = mark["p"]?.integer,
      let epoch = mark["e"]?.integer, let ticket = mark["t"]?.string, let text = root["aps"]?["alert"]?.string
    else { return }
    let arrival = Arrival(position: position, epoch: epoch, ticket: ticket, text: text)
    state.withLock { state in
      if state.isAway { state.arrivals = [] }
      state.arrivals.append(arrival)
    }
  }
}
