import CLinux
import Glibc
import TestSupport
import Testing

@testable import Confining

/// Runs the filter on a small virtual machine, as the kernel would (linux/bpf_common.h).
@Suite("The filter of system calls")
struct CallFilterTests {
  @Test(
    "gives every call the answer of the rules",
    arguments: [[], .listening, [.libraries, .owners]] as [CallGroup])
  func everyCall(groups: CallGroup) {
    let rules = AllowedCalls.rules(for: groups)
    let filter = CallFilter(rules)
    #expect(Set(rules.map(\.number)).count == rules.count, "each call has one rule")
    for number in Int32(0)...1_100 {
      let rule = rules.first { $0.number == number }
      // With all bits of the arguments set, no test of a rule passes.
      let expected = rule.map { $0.tests.isEmpty ? 0 : $0.error } ?? ENOSYS
      #expect(Self.answer(of: filter, number, .max) == expected, "call \(number)")
    }
  }

  @Test("lets a process that makes files beside a database set read and write rights, and no others")
  func modes() {
    let filter = CallFilter(AllowedCalls.rules(for: .owners))
    for mode: UInt64 in [0, 0o600, 0o640, 0o660, 0o666] {
      #expect(Self.answer(of: filter, SYS_fchmod, mode) == 0)
    }
    for mode: UInt64 in [0o100, 0o700, 0o755, 0o1600, 0o2660, 0o4755] {
      #expect(Self.answer(of: filter, SYS_fchmod, mode) == EPERM)
    }
    #expect(Self.answer(of: CallFilter(AllowedCalls.rules(for: [])), SYS_fchmod, 0o600) == ENOSYS)
  }

  @Test("checks the arguments of a call, and each allowed value") func arguments() {
    var generator = SeededGenerator(seed: 50)
    for _ in 0..<200 {
      let values = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
        UInt32.random(in: 0...500, using: &generator)
      }
      let mask: UInt32 = Bool.random(using: &generator) ? .max : 0xFF
      let test = ArgumentTest(
        UInt32.random(in: 0...5, using: &generator), mask: mask,
        isUpperHalf: Bool.random(using: &generator), values)
      let rule = CallRule(7, else: EPERM, test)
      let neighbours = (0..<300).map { CallRule(Int32($0) * 2) }.filter { $0.number != 6 }
      let filter = CallFilter(neighbours + [rule])
      let argument = UInt64.random(in: 0...500, using: &generator)
      let passes = values.contains(UInt32(argument) & mask)
      #expect(
        Self.answer(of: filter, 7, test.isUpperHalf ? argument << 32 : argument) == (passes ? 0 : EPERM))
      #expect(Self.answer(of: filter, 9, argument) == ENOSYS)
    }
  }

  @Test("kills a process that makes calls of another architecture") func architecture() {
    let filter = CallFilter([CallRule(0)])
    #expect(Self.run(filter, 0, 0, architecture: 1) == SECCOMP_RET_KILL_PROCESS)
    #expect(Self.run(filter, 0, 0) == SECCOMP_RET_ALLOW)
  }

  /// The error of a call whose arguments all have the same value; 0 if it is allowed.
  private static func answer(of filter: CallFilter, _ number: Int32, _ argument: UInt64) -> Int32? {
    let result = run(filter, number, argument)
    if result == SECCOMP_RET_ALLOW { return 0 }
    return result & ~UInt32(SECCOMP_RET_DATA) == UInt32(SECCOMP_RET_ERRNO)
      ? Int32(result & UInt32(SECCOMP_RET_DATA)) : nil
  }

  private static func run(
    _ filter: CallFilter, _ number: Int32, _ argument: UInt64, architecture: UInt32 = audit_architecture
  ) -> UInt32 {
    var (position, value) = (0, UInt32(0))
    while position < filter.instructions.count {
      let step = filter.instructions[position]
      position += 1
      switch step.code {
      case 0x20:
        value =
          switch step.k {
          case 0: UInt32(bitPattern: number)
          case 4: architecture
          default: UInt32(truncatingIfNeeded: (step.k - 16) % 8 == 0 ? argument : argument >> 32)
          }
      case 0x54: value &= step.k
      case 0x05: position += Int(step.k)
      case 0x15: position += Int(value == step.k ? step.jt : step.jf)
      case 0x35: position += Int(value >= step.k ? step.jt : step.jf)
      default: return step.k
      }
    }
    return 0
  }
}
