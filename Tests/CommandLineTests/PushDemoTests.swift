import Glibc
import TestSupport
import Testing

/// `demo --apns` serves a mock of APNs until it is interrupted.
@Suite("demo --apns")
struct PushDemoTests {
  /// Starts the demo, sends requests to the mock with curl, and interrupts the demo.
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

  /// Kills the demo and starts it again, on a terminal, where it shows the pushes as they come.
  private static let terminal = #"""
    export TMPDIR=$1
    "$0" demo --apns 127.0.0.1:$2 > "$1/first" & demo=$!
    while ! grep -q '^55' "$1/first"; do sleep 0.05; done
    kill -KILL $demo; wait $demo
    script -q -e -f -c "exec $0 demo --apns 127.0.0.1:$2" "$1/second" < /dev/null > /dev/null 2>&1 & demo=$!
    while ! grep -q '^55' "$1/second"; do sleep 0.05; done
    for n in 1 2; do
      echo '{"aps":{}}' | "$0" enrich --device-token ab12 --ca-file "$1/push-enricher-apns-$2/certificate.pem"         --to "apns://127.0.0.1:$2?key=$1/push-enricher-apns-$2/AuthKey.p8&key-id=MOCKKEY001&team-id=MOCKTEAM01&topic=a.b" 2>&1 > /dev/null         | grep -o ': sent in'
      while ! grep -q "$n connections*, $n push.*, $n accepted" "$1/second"; do sleep 0.05; done
    done
    ls -d "$1"/push-*
    """#

  @Test(
    "on a terminal it shows the counts as they change; a killed one leaves a folder that the next one uses")
  func terminal() async throws {
    try await withTemporaryDirectory { folder in
      let port = freePort()
      let run = try await Command("bash").run([
        "-c", Self.terminal + "\nkill -INT $(pgrep -P $demo); wait $demo; ls -d \"$1\"/push-* 2>/dev/null",
        PushEnricher.path, folder.path, "\(port)",
      ])
      #expect(
        run.output == ": sent in\n: sent in\n\(folder.path)/push-enricher-apns-\(port)\n",
        "\(run.standardError)")
    }
  }

  @Test("a folder that others can read is not used") func foreignFolder() async throws {
    try await withTemporaryDirectory { folder in
      let port = freePort()
      let path = folder.path(of: "push-enricher-apns-\(port)")
      #expect(unsafe mkdir(path, 0o755) == 0)
      let run = try await PushEnricher.run(
        ["demo", "--apns", "127.0.0.1:\(port)"], environment: ["TMPDIR": folder.path])
      #expect(run.exitStatus == EX_USAGE)
      #expect(
        run.standardError
          == "push-enricher: \(path) is not a folder of this user alone: remove it, or set TMPDIR to another folder\n"
      )
    }
  }

  @Test("it prints its target, checks pushes, and removes its folder at the end")
  func serve() async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.path(of: "output")
      let run = try await Command("bash").run(["-c", Self.script, PushEnricher.path, file])
      #expect(
        run.output == """
          {"reason":"MissingProviderToken"} 600
          status 0
          1 connection, 1 push, 0 accepted
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
