import Testing

@testable import Measuring

@Suite("Hosts")
struct HostTests {
  @Test("are distinguished by the host in the URL, and by nothing else in it")
  func names() {
    for (url, host) in [
      ("https://Media.Example/a?token=1#key", "media.example"),
      ("https://me:secret@media.example:8443/", "media.example"),
      ("http://[2001:db8::1]:80/", "[2001:db8::1]"), ("http://10.0.0.1?x", "10.0.0.1"),
      ("aesgcm://h.example/#k", "h.example"),
      ("https://a@b@c.example\\@d", "c.example"), ("https://münchen.example/", "münchen.example"),
    ] { #expect(HostName.of(url) == host) }
    for url in [
      "", "media.example/a", "https://", "https:///a", "data:,x",
      "https://" + String(repeating: "a", count: 300), "cdn.example/p?return=app://token and text",
      "x?token=a://secret", "http:/10.0.0.1/p?return=app://token", "https://two words/", "1x://host/",
    ] {
      #expect(HostName.of(url) == nil)
    }
  }

  @Test("that take much time stay in the table, however many others come") func heavy() {
    var table = HostTable()
    for number in 0..<10_000 {
      table.add(HostRow(host: "once-\(number).example", microseconds: 1_000, failed: false))
      if number % 10 == 0 { table.add(HostRow(host: "slow.example", microseconds: 100_000, failed: true)) }
    }
    #expect(table.rows.count == HostTable.capacity)
    let slow = table.rows.first { $0.host == "slow.example" }
    #expect(slow?.requests == 1_000)
    #expect(slow?.failures == 1_000)
    #expect(slow?.mean == 100_000)
  }

  @Test("of the last two spans are listed, the slowest first") func ledger() {
    var ledger = HostLedger()
    ledger.add(HostRow(host: "a", microseconds: 5, failed: false), in: 0)
    ledger.add(HostRow(host: "b", microseconds: 7, failed: false), in: 59)
    ledger.add(HostRow(host: "a", microseconds: 9, failed: true), in: 60)
    #expect(ledger.slowest(8).map(\.host) == ["a", "b"])
    #expect(ledger.slowest(1).first?.spent == 14)
    #expect(ledger.slowest(1).first?.slowest == 9)
    ledger.advance(to: 120)
    #expect(ledger.slowest(8).map(\.spent) == [9])
    ledger.advance(to: 600)
    #expect(ledger.slowest(8).isEmpty)
  }
}
