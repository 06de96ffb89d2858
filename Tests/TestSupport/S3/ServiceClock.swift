import Glibc
import Supporting

/// Times in seconds since 1970, as AWS and HTTP write them.
package enum ServiceClock {
  package static var now: Int64 { WallClock.milliseconds / 1_000 }

  /// `20130524T000000Z`.
  package static func amzDate(_ time: Int64) -> String { format(time, "%Y%m%dT%H%M%SZ") }

  /// `2013-05-24T00:00:00Z`.
  package static func timestamp(_ time: Int64) -> String { format(time, "%Y-%m-%dT%H:%M:%SZ") }

  /// `Fri, 24 May 2013 00:00:00 GMT` (RFC 9110 section 5.6.7).
  package static func httpDate(_ time: Int64) -> String { format(time, "%a, %d %b %Y %H:%M:%S GMT") }

  /// The time that `amzDate` writes like this; nil if the text is not a time.
  static func seconds(ofAMZDate text: String) -> Int64? {
    let signs = Array(text)
    guard signs.count == 16, signs[8] == "T" else { return nil }
    let day = "\(String(signs[0..<4]))-\(String(signs[4..<6]))-\(String(signs[6..<8]))"
    let hour = "\(String(signs[9..<11])):\(String(signs[11..<13])):\(String(signs[13..<15]))"
    return WallClock.milliseconds(of: "\(day)T\(hour)\(signs[15])").map { $0 / 1_000 }
  }

  private static func format(_ time: Int64, _ format: String) -> String {
    var (seconds, parts) = unsafe (time_t(time), tm())
    unsafe gmtime_r(&seconds, &parts)
    return unsafe String(unsafeUninitializedCapacity: 64) { text in
      unsafe text.withMemoryRebound(to: CChar.self) {
        unsafe strftime($0.baseAddress, $0.count, format, &parts)
      }
    }
  }
}
