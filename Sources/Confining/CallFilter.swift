internal import CLinux
internal import Glibc

/// The BPF program that judges each system call of this process (seccomp(2)). libseccomp is not
/// used: it would have to be loaded, and gives one answer to all calls with forbidden arguments.
struct CallFilter {
  /// Calls without a rule fail as if the kernel lacked them. Libraries know how to do without.
  private static let refusal = [sock_filter.end(error: ENOSYS)]

  let instructions: [sock_filter]

  init(_ rules: [CallRule]) {
    // Offsets of `seccomp_data` (linux/seccomp.h): 0 is the call's number, 4 the architecture, 16
    // the arguments. Another architecture (32-bit x86 on x86_64) numbers its calls differently.
    instructions =
      [.load(4), .skip(ifEqual: audit_architecture, 1), .end(SECCOMP_RET_KILL_PROCESS), .load(0)]
      + Self.search(Self.ranges(rules)[...])
  }

  /// Takes effect for all threads, for good.
  func enforce() throws(ConfiningError) {
    var instructions = instructions
    let status = unsafe instructions.withUnsafeMutableBufferPointer {
      var program = unsafe sock_fprog(len: UInt16($0.count), filter: $0.baseAddress)
      return unsafe enforce_call_filter(&program)
    }
    guard status == 0 else { throw ConfiningError(errno) }
  }

  /// The calls from the number `start` up to the next range, and the verdict on them.
  private typealias Range = (start: UInt32, isAllowed: Bool, verdict: [sock_filter])

  private static func ranges(_ rules: [CallRule]) -> [Range] {
    var ranges: [Range] = []
    var next: UInt32 = 0
    for rule in rules.sorted(by: { $0.number < $1.number }) {
      let number = UInt32(rule.number)
      if number > next { ranges.append((next, false, refusal)) }
      let isAllowed = rule.tests.isEmpty
      if !isAllowed || ranges.last?.isAllowed != true {
        ranges.append((number, isAllowed, verdict(on: rule)))
      }
      next = number + 1
    }
    return ranges + [(next, false, refusal)]
  }

  /// A binary search for the range of the call. When the program is loaded, the kernel tries it with the number
  /// of each call, and notes which calls are always allowed. Later it runs the program only for the others.
  private static func search(_ ranges: ArraySlice<Range>) -> [sock_filter] {
    guard ranges.count > 1 else { return ranges.first?.verdict ?? [] }
    let middle = ranges.startIndex + ranges.count / 2
    let (lower, upper) = (search(ranges[..<middle]), search(ranges[middle...]))
    let (start, atLeast) = (ranges[middle].start, UInt16(0x35))
    // A conditional jump skips 255 instructions at most.
    let jump: [sock_filter] =
      lower.count <= UInt8.max
      ? [sock_filter(atLeast, start, ifTrue: UInt8(lower.count))]
      : [sock_filter(atLeast, start, ifFalse: 1), .skip(UInt32(lower.count))]
    return jump + lower + upper
  }

  private static func verdict(on rule: CallRule) -> [sock_filter] {
    var verdict: [sock_filter] = []
    for test in rule.tests {
      verdict.append(.load(16 + 8 * test.argument + (test.isUpperHalf ? 4 : 0)))
      if test.mask != .max { verdict.append(.and(test.mask)) }
      for (index, value) in test.values.enumerated() {
        verdict.append(.skip(ifEqual: value, UInt8(test.values.count - index)))
      }
      verdict.append(.end(error: rule.error))
    }
    return verdict + [.end(SECCOMP_RET_ALLOW)]
  }
}

/// Instructions of BPF, as in linux/bpf_common.h.
extension sock_filter {
  fileprivate init(_ code: UInt16, _ value: UInt32, ifTrue: UInt8 = 0, ifFalse: UInt8 = 0) {
    self.init(code: code, jt: ifTrue, jf: ifFalse, k: value)
  }
  fileprivate static func load(_ offset: UInt32) -> sock_filter { sock_filter(0x20, offset) }
  fileprivate static func and(_ mask: UInt32) -> sock_filter { sock_filter(0x54, mask) }
  fileprivate static func skip(_ count: UInt32) -> sock_filter { sock_filter(0x05, count) }
  fileprivate static func skip(ifEqual value: UInt32, _ count: UInt8) -> sock_filter {
    sock_filter(0x15, value, ifTrue: count)
  }
  fileprivate static func end(_ action: UInt32) -> sock_filter { sock_filter(0x06, action) }
  fileprivate static func end(error: Int32) -> sock_filter {
    .end(UInt32(SECCOMP_RET_ERRNO) | UInt32(error) & UInt32(SECCOMP_RET_DATA))
  }
}

/// A system call that is allowed if its arguments pass all tests.
struct CallRule {
  /// As in asm/unistd.h.
  let number: Int32
  /// The error of the call if a test fails, as in `errno(3)`.
  let error: Int32
  let tests: [ArgumentTest]

  init(_ number: Int32, else error: Int32 = 0, _ tests: ArgumentTest...) {
    (self.number, self.error, self.tests) = (number, error, tests)
  }
}

/// A test of 32 bits of an argument. Of those tested here, only pointers use the upper half.
struct ArgumentTest {
  /// Counted from 0.
  let argument: UInt32
  let mask: UInt32
  let isUpperHalf: Bool
  let values: [UInt32]

  init<Value: BinaryInteger>(
    _ argument: UInt32, mask: Value = ~0, isUpperHalf: Bool = false, _ values: [Value]
  ) {
    (self.argument, self.isUpperHalf) = (argument, isUpperHalf)
    self.mask = UInt32(truncatingIfNeeded: mask)
    self.values = values.map { UInt32(truncatingIfNeeded: $0) }
  }
}
