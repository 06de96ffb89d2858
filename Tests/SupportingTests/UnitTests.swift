import Supporting
import Testing

@Suite("Numbers for people") struct UnitTests {
  @Test(
    "bytes have a unit if nothing is lost, and groups of digits otherwise",
    arguments: [
      (0, "0 bytes"), (7_333, "7333 bytes"), (65_536, "64 KiB"), (10_000_000, "10 MB"),
      (10_000_001, "10,000,001 bytes"), (5_242_880, "5 MiB"), (12_345, "12,345 bytes"),
      (2_000_000_000, "2000 MB"), (-10_001, "-10,001 bytes"),
    ])
  func bytes(number: Int, text: String) { #expect(number.asBytes == text) }

  @Test(
    "counts are in millions if nothing is lost",
    arguments: [(50_000_000, "50 million"), (20_000, "20,000"), (1_000_001, "1,000,001"), (9, "9")])
  func counts(number: Int, text: String) { #expect(number.asCount == text) }
}
