internal import CLinux
internal import Glibc

/// The program by which the kernel judges each system call of this process (seccomp(2), BPF).
///
/// It is written here rather than by libseccomp: each call with forbidden arguments has an answer of its own,
/// and the start does not wait for a library.
struct CallFilter {
  /// What a call answers that is not on the list: as if the kernel did not have it. That is what the C library
  /// and others have a way around for.
  static let answer = ENOSYS

  let instructions: [sock_filter]

  init(_ rules: [CallRule]) {
    // The calls of another architecture have other numbers (those of 32-bit x86 on x86_64).
    instructions =
      [.load(Offset.architecture), .skip(ifEqual: audit_architecture, 1), .end(SECCOMP_RET_KILL_PROCESS)]
      + [.load(Offset.number)] + Self.search(Self.ranges(rules)[...])
  }

  /// From now on and for good, for all threads.
  /// - Throws: `ConfiningError`.
  func enforce() throws(ConfiningError) {
    var instructions = instructions
    let status = unsafe instructions.withUnsafeMutableBufferPointer {
      var program = unsafe sock_fprog(len: UInt16($0.count), filter: $0.baseAddress)
      return unsafe enforce_call_filter(&program)
    }
    guard status == 0 else { throw ConfiningError(errno) }
  }
}

extension CallFilter {
  /// Offsets in `seccomp_data` of linux/seccomp.h.
  private enum Offset {
    static let number: UInt32 = 0
    static let architecture: UInt32 = 4
    static let arguments: UInt32 = 16
  }

  /// The calls from a number on, up to the next range, and what is done with them.
  private struct Range {
    let start: UInt32
    let isAllowed: Bool
    let verdict: [sock_filter]
  }

  private static func ranges(_ rules: [CallRule]) -> [Range] {
    let refusal = [sock_filter.end(error: answer)]
    var ranges: [Range] = []
    var next: UInt32 = 0
    for rule in rules.sorted(by: { $0.number < $1.number }) {
      let number = UInt32(rule.number)
      if number > next || ranges.isEmpty && number > 0 {
        ranges.append(Range(start: next, isAllowed: false, verdict: refusal))
      }
      let isAllowed = rule.tests.isEmpty
      if !isAllowed || number > next || ranges.last?.isAllowed != true {
        ranges.append(Range(start: number, isAllowed: isAllowed, verdict: verdict(on: rule)))
      }
      next = number + 1
    }
    return ranges + [Range(start: next, isAllowed: false, verdict: refusal)]
  }

  /// A binary search for the range of the call: the kernel runs the program for each of its calls when it is
  /// loaded, and later for those that have tests.
  private static func search(_ ranges: ArraySlice<Range>) -> [sock_filter] {
    guard ranges.count > 1 else { return ranges.first?.verdict ?? [] }
    let middle = ranges.startIndex + ranges.count / 2
    let (lower, upper) = (search(ranges[..<middle]), search(ranges[middle...]))
    let start = ranges[middle].start
    let atLeast: UInt16 = 0x35
    // A conditional jump goes 255 instructions far at most.
    let jump: [sock_filter] =
      lower.count <= UInt8.max
      ? [sock_filter(atLeast, start, ifTrue: UInt8(lower.count))]
      : [sock_filter(atLeast, start, ifFalse: 1), .skip(UInt32(lower.count))]
    return jump + lower + upper
  }

  private static func verdict(on rule: CallRule) -> [sock_filter] {
    var verdict: [sock_filter] = []
    for test in rule.tests {
      verdict.append(.load(Offset.arguments + 8 * test.argument + (test.isUpperHalf ? 4 : 0)))
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
  /// What the call answers otherwise, as in `errno(3)`.
  let error: Int32
  let tests: [ArgumentTest]

  init(_ number: Int32, else error: Int32 = 0, _ tests: ArgumentTest...) {
    self.number = number
    self.error = error
    self.tests = tests
  }
}

/// A test of 32 bits of an argument: the kernel looks at no more of those that are tested here, except for
/// pointers.
struct ArgumentTest {
  /// From 0 on.
  let argument: UInt32
  /// The bits of it that count.
  let mask: UInt32
  /// The upper 32 bits instead of the lower ones.
  let isUpperHalf: Bool
  /// One of these passes.
  let values: [UInt32]

  init<Value: BinaryInteger>(
    _ argument: UInt32, mask: Value = ~0, isUpperHalf: Bool = false, _ values: [Value]
  ) {
    self.argument = argument
    self.mask = UInt32(truncatingIfNeeded: mask)
    self.isUpperHalf = isUpperHalf
    self.values = values.map { UInt32(truncatingIfNeeded: $0) }
  }
}
