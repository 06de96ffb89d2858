import Fetching
import Glibc
import TestSupport
import Testing

@testable import Enriching

@Suite("Open files")
struct OpenFilesTests {
  @Test(
    "each transfer needs three, and fifty are kept for everything else",
    arguments: [(0, 0), (52, 0), (53, 1), (242, 64), (1_024, 324)])
  func slots(limit: Int, admitted: Int) {
    #expect(OpenFiles(limit: limit).slots == admitted)
  }

  @Test("are raised to what transfers need if the hard limit allows it, and never lowered")
  func raised() async {
    await #expect(processExitsWith: .success) {
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      var limits = rlimit(rlim_cur: 100, rlim_max: 300)
      #expect(unsafe setrlimit(resource, &limits) == 0)
      for (slots, limit) in [(0, 100), (20, 110), (64, 242), (1_024, 300), (1, 300)] {
        #expect(OpenFiles(raisedFor: slots) == OpenFiles(limit: limit))
        #expect(unsafe getrlimit(resource, &limits) == 0)
        #expect(limits.rlim_cur == limit && limits.rlim_max == 300)
      }
    }
  }

  @Test("that have run out have advice of their own, different from that of other exhausted memory")
  func advice() {
    let failure = Failure(FetchError.openFilesExhausted)
    #expect(failure.reason == .memoryExceeded)
    #expect(failure.advice.hasPrefix("allow more open files (ulimit -n"))
  }
}
