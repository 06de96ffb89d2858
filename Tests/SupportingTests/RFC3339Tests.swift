import Supporting
import Testing

@Suite("Dates and times of RFC 3339")
struct RFC3339Tests {
  @Test(
    "are milliseconds since 1970",
    arguments: [
      ("1970-01-01T00:00:00Z", 0),
      // The examples of RFC 3339, section 5.8, from `date -u -d … +%s`.
      ("1985-04-12T23:20:50.52Z", 482_196_050_520), ("1996-12-19T16:39:57-08:00", 851_042_397_000),
      ("1990-12-31T23:59:60Z", 662_688_000_000), ("1990-12-31T15:59:60-08:00", 662_688_000_000),
      ("1937-01-01T12:00:27.87+00:20", nil),
      ("2026-12-24t18:00:00z", 1_798_135_200_000), ("2026-12-24 18:00:00.123456+01:00", 1_798_131_600_123),
      ("2028-02-29T00:00:00Z", 1_835_395_200_000), ("2027-02-29T00:00:00Z", nil),
      ("2026-13-01T00:00:00Z", nil),
      ("2026-12-24T18:00:00", nil), ("2026-12-24", nil), ("2026-12-24T24:00:00Z", nil), ("", nil),
      ("2026-12-24T18:00:00.Z", nil), ("2026-12-24T18:00:00Z ", nil), ("2026-12-24T18:00Z", nil),
      ("+026-12-24T18:00:00Z", nil), ("9999-12-31T23:59:59+23:59", 253_402_214_459_000),
    ] as [(String, Int64?)])
  func reads(text: String, milliseconds: Int64?) { #expect(WallClock.milliseconds(of: text) == milliseconds) }

  @Test("a time stamp of now is read back") func roundTrip() throws {
    let now = WallClock.milliseconds
    let read = try #require(WallClock.milliseconds(of: WallClock.timestamp))
    #expect(0...60_000 ~= read - now)
  }
}
