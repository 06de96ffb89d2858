import Enriching
import Testing

@Suite("The table of reasons")
struct ReasonTests {
  /// The names are a contract: users count and match them.
  @Test("has the stable names") func names() {
    let contract = """
      not-mutable no-alert no-media no-aps url-invalid scheme-not-allowed port-not-allowed address-blocked dns-failed \
      connect-failed tls-failed host-unhealthy http-status redirect-limit headers-too-large body-too-large too-many-pixels body-truncated \
      encoding-not-allowed type-unsupported decrypt-failed key-unknown store-failed payload-too-large attachments-key-taken deadline-exceeded \
      memory-exceeded invalid-payload poison
      """
    #expect(
      Reason.allCases.map(\.rawValue).sorted() == contract.split(separator: " ").map(String.init).sorted())
  }

  @Test("has an advice and a device's answer for each reason, each in one clause", arguments: Reason.allCases)
  func clauses(reason: Reason) {
    for clause in [reason.advice, reason.deviceAnswer] {
      #expect(clause.count > 20)
      #expect(!clause.contains("\n"))
      #expect(!clause.hasSuffix("."))
    }
  }

  @Test("has different advice for each reason") func advice() {
    #expect(Set(Reason.allCases.map(\.advice)).count == Reason.allCases.count)
  }

  @Test("counts a reason as a failure only if the payload asked for media") func failures() {
    #expect(Reason.allCases.filter { !$0.isFailure } == [.notMutable, .noAlert, .noAPS, .noMedia])
  }

  /// Apple, UNError.Code: 100 to 105 are about attachments.
  @Test("names the UNError code if iOS has one") func codes() {
    let codes = Reason.allCases.filter { $0.deviceAnswer.hasPrefix("UNError ") }
      .map { "\($0.rawValue) \($0.deviceAnswer.dropFirst(8).prefix(3))" }
    #expect(
      codes.sorted() == [
        "body-too-large 102", "body-truncated 105", "store-failed 104", "type-unsupported 101",
        "url-invalid 100",
      ])
  }
}
