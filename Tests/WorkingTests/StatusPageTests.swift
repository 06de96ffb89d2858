import Glibc
import Misbehaving
import TestSupport
import Testing

/// The page that `work --status` serves, in a real browser.
@Suite("The page of a running worker", .timeLimit(.minutes(15)))
struct StatusPageTests {
  /// The name of an encoding that a hostile server may send.
  private static let hostile = "gzip, <img src=x onerror=document.title='pwned'>"

  @Test(
    "the page shows the work, loads nothing from elsewhere, runs no foreign scripts, and says so if the worker does not answer"
  )
  func page() async throws {
    try await withWorkplace(.sqlite) { place in
      try await Browser.run { browser in
        let run = try await place.work(["--status", "127.0.0.1:0"], limit: .seconds(800)) { worker in
          let origin = try await worker.statusOrigin()
          try await browser.open("\(origin)/")
          #expect(try await browser.shows("ready", in: "document.getElementById('state').className"))
          #expect(try await browser.shows("Nothing has been finished yet.", in: Self.emptyText("outcomes")))
          try await place.publish(Errand.mixed(20, place.server))
          let photo = Response(
            .file("\(Fixtures.media)/photo.jpg"), as: "image/jpeg",
            fields: [.init("Content-Encoding", Self.hostile)])
          try await place.publish([
            Errand(20, naming: place.server.url(.serve(photo)), .unmodified("encoding-not-allowed"))
          ])
          #expect(try await browser.shows(Self.outcomes, in: Self.rows("outcomes")))
          try await expectFailures(browser)
          try await expectLayout(browser)
          try await expectSelection(browser)
          try await expectReload(browser)
          let asked = Set(browser.seen("Network.requestWillBeSent", "params.request.url"))
          #expect(asked.subtracting(["data:,"]) == ["\(origin)/", "\(origin)/status.json"])
          #expect(browser.seen("Runtime.exceptionThrown", "params.exceptionDetails.text") == [])
          #expect(browser.seen("Log.entryAdded", "params.entry.text") == [])

          worker.stopAtOnce()
          #expect(try await browser.shows("gone", in: "document.getElementById('state').className"))
          #expect(
            try await browser.shows("No answer", in: "document.querySelector('#state strong').textContent"))
          #expect(try await browser.value(of: Self.rows("outcomes")) == Self.outcomes)
        }
        #expect(run.termination == .signalled(SIGKILL), "\(run.standardError)")
      }
    }
  }

  /// The most frequent outcome is first; `!` marks failures.
  private static let outcomes = [
    "enriched 6 6", "invalid-payload! 4 4", "not-mutable 2 2", "no-media 2 2", "address-blocked! 2 2",
    "http-status! 2 2", "type-unsupported! 2 2", "encoding-not-allowed! 1 1",
  ].sorted().joined(separator: "; ")

  private static func rows(_ table: String) -> String {
    """
    [...document.querySelectorAll('#\(table) tbody tr')].map(row => [...row.cells].map(
      cell => cell.textContent + (cell.querySelector('.bad') ? '!' : '')).join(' ')).sort().join('; ')
    """
  }

  private static func emptyText(_ table: String) -> String {
    "document.getElementById('\(table)').parentNode.querySelector('.empty:not([hidden])')?.textContent"
  }

  /// Text from strangers is shown as text, and each failure has its advice.
  private func expectFailures(_ browser: Browser) async throws {
    #expect(try await browser.value(of: "document.querySelectorAll('img').length") == "0")
    #expect(try await browser.value(of: "document.title") == "push-enricher")
    let failures = try await browser.value(of: "document.getElementById('failures').textContent")
    #expect(failures.contains("the server sent Content-Encoding '\(Self.hostile)'"))
    #expect(failures.contains("the server answered 404check the URL: the server does not have the file"))
    #expect(failures.contains("address-blocked 10.0.0.1"))
    let hosts = try await browser.value(of: Self.rows("hosts"))
    #expect(hosts.contains("127.0.0.1 "))
  }

  /// How far the page is too wide, with a table of pushes, which only APNs as a target has.
  private static let overhang = """
    (showDeliveries([{ app: 'com.example.messenger', day: '', accepted: 8641969, receipts: 7241969, recovered: 86415,
      lost: 16415, dead: 24192, hours: Array(24).fill(9) }]), document.documentElement.scrollWidth - innerWidth)
    """

  /// The page does not replace what is selected, so that it can be copied.
  private func expectSelection(_ browser: Browser) async throws {
    let count = """
      (getSelection().selectAllChildren($('failures')), fill('failures', []), $('failures').children.length > 0)
      """
    #expect(try await browser.value(of: count) == "true")
    _ = try await browser.value(of: "getSelection().removeAllRanges()")
  }

  /// The page is loaded again if the worker has another version by now.
  private func expectReload(_ browser: Browser) async throws {
    _ = try await browser.value(of: "(window.isOld = true, version = 'another')")
    #expect(try await browser.shows("undefined", in: "typeof isOld"))
    #expect(try await browser.shows(Self.outcomes, in: Self.rows("outcomes")))
  }

  /// Nothing overflows, however narrow the screen, and light and dark have different colors.
  private func expectLayout(_ browser: Browser) async throws {
    var grounds: Set<String> = []
    for (width, isDark) in [(360, false), (390, true), (768, false), (1_280, true)] {
      try await browser.emulate(width: width, isDark: isDark)
      #expect(try await browser.shows("\(width)", in: "innerWidth"))
      let overhang = try await browser.value(of: Self.overhang)
      #expect(Int(overhang) ?? .max <= 0, "at \(width)")
      grounds.insert(try await browser.value(of: "getComputedStyle(document.body).backgroundColor"))
    }
    #expect(grounds.count == 2)
    let margin = "getComputedStyle(document.getElementById('unhealthy-card')).marginBottom"
    #expect(try await browser.value(of: margin) == "12px")
  }
}
