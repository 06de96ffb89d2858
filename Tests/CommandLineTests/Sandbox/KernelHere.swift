import TestSupport
import Testing

/// The features of the kernel that runs the tests, determined without the program.
enum KernelHere {
  /// Exits with 0 if the kernel has seccomp, and an active Landlock with the versions that `Kernel`
  /// simulates less of.
  private static let source = """
    #define _GNU_SOURCE
    #include <sys/prctl.h>
    #include <sys/syscall.h>
    #include <unistd.h>
    int main(void) { return prctl(PR_GET_SECCOMP) < 0 || syscall(SYS_landlock_create_ruleset, 0L, 0L, 1L) < 4; }
    """

  private static let answer = Task {
    try await withTemporaryDirectory { folder in
      let (file, program) = (folder.path(of: "kernel.c"), folder.path(of: "kernel"))
      try folder.write(Array(source.utf8), to: "kernel.c")
      try await Command("gcc").runSuccessfully(["-o", program, file])
      return try await Command(program).run().exitStatus == 0
    }
  }

  /// Whether it has all features that the sandbox uses. The program works on other kernels, too,
  /// but shows less there.
  static var hasAll: Bool { get async throws { try await answer.value } }
}

extension Trait where Self == ConditionTrait {
  static var needsSandbox: Self {
    .enabled("needs Landlock 4 and seccomp") { try await KernelHere.hasAll }
  }
}
