import Misbehaving
import TestSupport

/// A client of APNs that shares no code with the project: Python's h2, with tokens signed by the openssl
/// command.
struct PushClient {
  let mock: MockAPNs
  let caFile: String?
  let keyFile: String

  /// Runs `body` with a mock and a client for it.
  static func with(
    _ behaviour: APNsBehaviour = .healthy, hasTLS: Bool = true,
    _ body: (MockAPNs, PushClient) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let keyFile = folder.path(of: "AuthKey.p8")
      func run(_ tls: TLSServerContext?, _ caFile: String?) async throws {
        try await withMockAPNs(behaviour, tls: tls) { mock in
          try mock.key.write(to: keyFile)
          try await body(mock, PushClient(mock: mock, caFile: caFile, keyFile: keyFile))
        }
      }
      guard hasTLS else { return try await run(nil, nil) }
      try await withTLS(speaking: .http2) { try await run($0, $1) }
    }
  }

  /// Sends `count` pushes on one connection, and returns a line for each event.
  /// - Parameters:
  ///   - header: replaces headers; an empty value removes one.
  ///   - issued: seconds from now to the token's time of issue.
  ///   - streams: how many it opens at once, if the server's limit is higher. Nil: the server's limit.
  func send(
    _ count: Int = 1, device: String = "ab12", body: Int = 20, header: [String: String] = [:],
    issued: Int = 0,
    streams: Int? = nil, resets: Int = 0, pings: Bool = false, impatient: Bool = false
  ) async throws -> [String] {
    let options = [
      "\(mock.port)", caFile ?? "", keyFile, mock.key.id, mock.key.team, "\(count)", device, "\(body)",
      "\(issued)",
      streams.map { "\($0)" } ?? "", "\(resets)", pings ? "1" : "", impatient ? "1" : "",
    ]
    let run = try await Command("python3").runSuccessfully(
      ["-c", Self.script] + options + header.map { "\($0)=\($1)" })
    return String(decoding: run.standardOutput, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private static let script = #"""
    import base64, json, os, socket, ssl, subprocess, sys, time, uuid
    import h2.config, h2.connection, h2.errors, h2.events as ev, h2.settings
    (port, ca, key, key_id, team, count, device, body, issued, streams, resets, pings, impatient), more = sys.argv[1:14], sys.argv[14:]
    count, resets = int(count), int(resets)
    b64 = lambda b: base64.urlsafe_b64encode(b).rstrip(b"=")
    part = lambda o: b64(json.dumps(o).encode())
    text = part({"alg": "ES256", "kid": key_id}) + b"." + part({"iss": team, "iat": int(time.time()) + int(issued)})
    der = subprocess.run(["openssl", "dgst", "-sha256", "-sign", key], input=text, stdout=subprocess.PIPE, check=True).stdout
    length = der[3]; r = der[4:4 + length]; s = der[6 + length:]
    raw = b"".join(int.from_bytes(n, "big").to_bytes(32, "big") for n in (r, s))
    token = (text + b"." + b64(raw)).decode()
    # Clients with the same time of issue have to share a token.
    saved = key + ".token" + issued
    if os.path.exists(saved): token = open(saved).read()
    open(saved, "w").write(token)
    # h2 takes nothing more after GOAWAY, but APNs still answers.
    machine = h2.connection.H2ConnectionStateMachine
    machine._transitions[(h2.connection.ConnectionState.CLIENT_OPEN, h2.connection.ConnectionInputs.RECV_GOAWAY)] = (None, h2.connection.ConnectionState.CLIENT_OPEN)
    sock = socket.create_connection(("127.0.0.1", int(port)))
    if ca:
        context = ssl.create_default_context(cafile=ca); context.set_alpn_protocols(["h2"])
        sock = context.wrap_socket(sock, server_hostname="127.0.0.1")
        print("alpn", sock.selected_alpn_protocol())
    sock.settimeout(5)
    c = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True, header_encoding="utf-8", validate_outbound_headers=False))
    c.initiate_connection()
    if pings: c.ping(b"12345678")
    todo, opened, status, bodies, unsent, known, checks = count, {}, {}, {}, {}, False, resets > 0
    def headers():
        h = {":method": "POST", ":scheme": "https", ":path": "/3/device/" + device, ":authority": "127.0.0.1",
             "authorization": "bearer " + token, "apns-topic": "com.example", "apns-push-type": "alert", "apns-id": str(uuid.uuid4())}
        h.update(x.split("=", 1) for x in more)
        return [(k, v) for k, v in h.items() if v]
    def start():
        s = c.get_next_available_stream_id()
        h = headers(); ids = dict(h)
        c.send_headers(s, h); opened[s] = ids.get("apns-id", "-"); unsent[s] = b"x" * int(body)
        return s
    def limit():
        if impatient: return count
        l = c.remote_settings.max_concurrent_streams if known else 1
        return min(l, int(streams or l))
    def work():
        global todo, resets
        while todo and len(opened) < limit(): start(); todo -= 1
        for s in list(unsent):
            if c.local_flow_control_window(s) < len(unsent[s]): break
            c.send_data(s, unsent.pop(s), end_stream=True)
        if known and todo == 0 and not opened and resets:
            while resets:
                s = c.get_next_available_stream_id(); c.send_headers(s, headers()); c.reset_stream(s, 8); resets -= 1
            # The answer shows that the server has read all of them.
            c.ping(b"12345678")
        sock.sendall(c.data_to_send())
    try:
        work()
        deadline = None
        while True:
            if count and not todo and not opened and not resets and not checks and deadline is None: deadline = time.time() + 0.3
            if deadline and time.time() > deadline: print("end done"); break
            if deadline: sock.settimeout(max(0.01, deadline - time.time()))
            try: data = sock.recv(65536)
            except socket.timeout: print("end done" if deadline else "end silent"); break
            if not data: print("end closed"); break
            for e in c.receive_data(data):
                if isinstance(e, ev.RemoteSettingsChanged):
                    known = True
                    print("settings", *("%d=%d" % (int(k), v.new_value) for k, v in e.changed_settings.items()))
                if isinstance(e, ev.ResponseReceived): status[e.stream_id] = dict(e.headers)
                if isinstance(e, ev.DataReceived): bodies[e.stream_id] = bodies.get(e.stream_id, b"") + e.data
                if isinstance(e, ev.StreamEnded):
                    h = status[e.stream_id]; b = bodies.get(e.stream_id, b"").decode(); sent = opened.pop(e.stream_id)
                    print("answer", h[":status"], json.loads(b)["reason"] if b else "-", "same" if h.get("apns-id") == sent else "other", *(["timestamp"] if "timestamp" in b else []))
                if isinstance(e, ev.StreamReset) and e.remote_reset: opened.pop(e.stream_id, None); unsent.pop(e.stream_id, None); print("reset", int(e.error_code))
                if isinstance(e, ev.PingAckReceived): checks = False; print("pong")
                if isinstance(e, ev.ConnectionTerminated):
                    print("goaway", int(e.error_code), sum(1 for s in opened if s > e.last_stream_id), sum(1 for s in opened if s <= e.last_stream_id), (e.additional_data or b"-").decode())
                    for s in [s for s in opened if s > e.last_stream_id]: opened.pop(s); unsent.pop(s, None)
                    todo = 0; resets = 0; unsent.clear()
            work()
    except (ConnectionResetError, BrokenPipeError, ssl.SSLEOFError): print("end reset")
    print("open", len(opened))
    """#
}
