@testable import Storing
import Testing

@Suite("The activity of a store")
struct StoreActivityTests {
  private let start = ContinuousClock.now

  @Test("it is silent since the oldest running call began, or the last call returned") func silence() {
    let activity = StoreActivity()
    #expect(activity.silence(at: start) == nil)
    activity.begin(at: start)
    activity.begin(at: start + .seconds(1))
    #expect(activity.silence(at: start + .seconds(3)) == .seconds(3))
    activity.end(at: start + .seconds(4))
    #expect(activity.silence(at: start + .seconds(6)) == .seconds(2))
    activity.end(at: start + .seconds(6))
    #expect(activity.silence(at: start + .seconds(60)) == nil)
    activity.begin(at: start + .seconds(60))
    #expect(activity.silence(at: start + .seconds(61)) == .seconds(1))
  }
}
