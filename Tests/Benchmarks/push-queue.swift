import Glibc
import PushQueueing
import Queueing

/// See `push-queue`, which compiles this with the modules of the program.
@main
enum PushQueueBenchmark {
  static func main() async throws {
    let arguments = CommandLine.arguments
    func number(_ name: String, _ usual: Int) -> Int {
      arguments.firstIndex(of: "--\(name)").flatMap { Int(arguments[$0 + 1]) } ?? usual
    }
    let (positions, devices) = (number("positions", 1_000_000), number("devices", 100_000))
    let file = arguments[1]
    var limits = PushQueueLimits()
    limits.keep = number("keep", 100)
    limits.bytes = .max
    for suffix in ["", "-wal", "-shm"] { unlink(file + suffix) }
    defer { for suffix in ["", "-wal", "-shm"] { unlink(file + suffix) } }
    let base = memory()
    let queue = try [PushQueueKind.sqlite].url("sqlite:\(file)").open(limits, certificateFile: nil) {
      print($0)
    }
    let body = [UInt8](repeating: 0x61, count: number("size", 700))
    let headers = [
      Header("apns-topic", "com.example.application"), Header("apns-push-type", "alert"),
      Header("apns-priority", "10"), Header("apns-expiration", "1795536000"),
    ]
    let now: Int64 = 1_795_000_000_000
    var (peak, generator) = (0, SystemRandomNumberGenerator())
    let token = String(repeating: "0a", count: 32)
    let (clock, begin, cpu) = (ContinuousClock(), ContinuousClock.now, processorTime())
    for start in stride(from: 0, to: positions, by: 64) {
      let pushes = (start..<min(start + 64, positions)).map { number in
        let tail = String(1_000_000_000_000 + Int.random(in: 0..<devices, using: &generator))
        return OfferedPush(
          device: AppDevice(app: "com.example.application", device: "6F1C7B0E-0000-4000-8000-\(tail)"),
          token: token,
          message: "0123456789abcdef0123" + String(1_000_000_000_000 + number), expires: now + 604_800_000,
          collapseID: nil,
          body: body, headers: headers)
      }
      let given = try await queue.assign(pushes, at: now + Int64(start / 64))
      try await queue.note(given.map { NotedAnswer($0, .accepted) }, at: now + Int64(start / 64))
      if start % 6_400 == 0 { peak = max(peak, memory()) }
    }
    let (wall, used) = (clock.now - begin, processorTime() - cpu)
    var status = stat()
    stat(file, &status)
    let seconds = Double(wall.components.seconds) + Double(wall.components.attoseconds) / 1e18
    print("positions a second: \(Int(Double(positions) / seconds))")
    print(
      "microseconds a push: \(seconds / Double(positions) * 1e6), of the processor \(used / Double(positions) * 1e6)"
    )
    print("bytes of the file a push: \(Int(status.st_size) / positions)")
    print("peak of RssAnon: \(peak) KB, before the queue was opened \(base) KB")
  }

  /// RssAnon in KB.
  private static func memory() -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if text.hasPrefix("RssAnon:") {
        return text.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
      }
    }
    return 0
  }

  /// In seconds.
  private static func processorTime() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let times = [usage.ru_utime, usage.ru_stime]
    return times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
  }
}
