/// A system call that is allowed if its arguments pass all tests.
struct CallRule {
  /// As in asm/unistd.h.
  let number: Int32
  /// What the call answers otherwise, as in `errno(3)`.
  var error: Int32 = 0
  var tests: [ArgumentTest] = []
}

/// A test of 32 bits of an argument: the kernel looks at no more of those that are tested here, except for
/// pointers.
struct ArgumentTest {
  /// From 0 on.
  let argument: UInt32
  /// The bits of it that count.
  var mask = UInt32.max
  /// The upper 32 bits instead of the lower ones.
  var isUpperHalf = false
  /// One of these passes.
  let values: [UInt32]
}
