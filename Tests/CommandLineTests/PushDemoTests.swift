import Glibc
import TestSupport
import Testing

/// `demo --apns` serves a mock of APNs until it is interrupted.
@Suite("demo --apns")
struct PushDemoTests {
  /// Runs it, asks the mock by curl, and interrupts it.
  private static let script = #"""
    "$0" demo --apns 127.0.0.1:0 > "$1" & demo=$!
    while ! grep -q '^55' "$1"; do sleep 0.05; done
    url=$(grep -o 'https://[0-9.:]*' "$1") ca=$(grep -o '/[^ ]*/certificate.pem' "$1")
    curl -q -sS --noproxy '*' --http2 --cacert "$ca" -d '{}' -H 'apns-topic: a' -H 'apns-push-type: alert' "$url/3/device/ab"
    stat -c ' %a' "$(dirname "$ca")/AuthKey.p8"
    kill -INT $demo
    wait $demo
    echo "status $?"
    ls -d "$(dirname "$ca")" 2>/dev/null
    tail -2 "$1"
    """#

  @Test("it prints its target, checks pushes, and removes its folder at the end")
  func serve() async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.path(of: "output")
      let run = try await Command("bash").run(["-c", Self.script, PushEnricher.path, file])
      #expect(
        run.output == """
          {"reason":"MissingProviderToken"} 600
          status 0
          1 connections, 1 pushes, 0 accepted
          1 MissingProviderToken

          """)
      let output = String(decoding: try Files.read(file), as: UTF8.self)
      #expect(
        output.contains(
          #/target +apns://127\.0\.0\.1:\d+\?key=\S+/AuthKey\.p8&key-id=MOCKKEY001&team-id=MOCKTEAM01/#),
        "\(output)")
    }
  }

  @Test(
    "an address that is none, or cannot be used, is the user's mistake",
    arguments: ["nowhere", "192.0.2.1:0"])
  func wrong(address: String) async throws {
    let run = try await PushEnricher.run(["demo", "--apns", address])
    #expect(run.exitStatus == EX_USAGE)
    #expect(run.standardError.contains("--apns: "), "\(run.standardError)")
  }
}
