import Glibc
import TestSupport
import Testing

@Suite("store prune", .timeLimit(.minutes(5)))
struct PruneTests {
  private static let digest = String(repeating: "0f", count: 32)

  /// A store with a file that was unused for two days, one that was just used, and a foreign one.
  private static func withStore(_ body: (TemporaryDirectory) async throws -> Void) async throws {
    try await withTemporaryDirectory { store in
      let old = try store.write([1, 2, 3], to: "\(digest).jpg")
      try store.write([4], to: "\(digest).png")
      let foreign = try store.write([5], to: "notes.txt")
      let times = [timespec](repeating: timespec(tv_sec: time(nil) - 172_800, tv_nsec: 0), count: 2)
      for path in [old, foreign] { #expect(unsafe utimensat(AT_FDCWD, path, times, 0) == 0) }
      try await body(store)
    }
  }

  @Test("removes files that were not used for that long, and reports them") func removing() async throws {
    try await Self.withStore { store in
      let arguments = ["store", "prune", "--store", store.path]
      let early = try await PushEnricher.run(arguments + ["--older-than", "3d"])
      #expect(early.standardError == "push-enricher: 0 files of 0 bytes removed, 2 files in use\n")
      let trial = try await PushEnricher.run(arguments + ["--older-than", "1d", "--dry-run"])
      #expect(trial.standardError == "push-enricher: 1 file of 3 bytes would be removed, 1 file in use\n")
      #expect(store.names.count == 3)
      let run = try await PushEnricher.run(
        ["store", "prune", "--older-than", "47h"], environment: ["PUSH_ENRICHER_STORE": store.path])
      #expect(run.standardError == "push-enricher: 1 file of 3 bytes removed, 1 file in use\n")
      #expect(run.termination == .exited(0))
      #expect(run.standardOutput == [])
      #expect(store.names == ["\(Self.digest).png", "notes.txt"])
    }
  }

  @Test("puts back or removes a file that a killed prune has renamed") func killed()
    async throws
  {
    try await Self.withStore { store in
      let names = store.names
      let arguments = ["store", "prune", "--store", store.path, "--older-than"]
      for (age, left) in [("3d", names), ("1d", names.filter { $0 != "\(Self.digest).jpg" })] {
        let run = try await PushEnricher.run(
          arguments + ["1d"], environment: ["PUSH_ENRICHER_FAULT": "aside"])
        #expect(run.termination == .signalled(SIGKILL))
        #expect(store.names.count == 3 && store.names != names)
        #expect(try await PushEnricher.run(arguments + [age]).termination == .exited(0))
        #expect(store.names == left)
      }
    }
  }

  @Test("reports files that it cannot remove, and removes the rest") func failing() async throws {
    try await Self.withStore { store in
      // This user may not have access to the build folder, or to root's folders.
      let program = store.path(of: "push-enricher")
      try await Command("cp").runSuccessfully([PushEnricher.path, program])
      let locked = "\(Self.digest).gif"
      let path = try store.write([1, 2], to: locked)
      let times = [timespec](repeating: timespec(tv_sec: time(nil) - 172_800, tv_nsec: 0), count: 2)
      #expect(unsafe utimensat(AT_FDCWD, path, times, 0) == 0 && chmod(path, 0) == 0)
      #expect(unsafe chmod(store.path, 0o777) == 0 && chmod(program, 0o755) == 0)
      let user = getuid() == 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
      let words = user + [program, "store", "prune", "--older-than", "1d", "--store", store.path]
      for files in ["1 file of 3", "0 files of 0"] {
        let run = try await Command(words[0]).run(Array(words.dropFirst()))
        #expect(
          run.standardError == """
            push-enricher: \(files) bytes removed, 1 file in use
            push-enricher: 1 file cannot be removed: run it as the owner (opening \(locked) failed in \
            \(store.path): Permission denied)

            """)
        #expect(run.termination == .exited(64))
      }
      #expect(store.names.contains(locked))
    }
  }

  @Test(
    "refuses senseless options",
    arguments: [
      (["--older-than", "soon"], "--older-than: 'soon' is not a time: write one like 30d, 12h or 90m"),
      (["--older-than", "-1d"], "--older-than"),
      (["--older-than", "99999999999999999999d"], "is not a time"),
      (
        ["--older-than", "59s"],
        "--older-than: '59s' is too short: what was used in the last 60 seconds is in use; write 1m or more"
      ),
      (
        ["--older-than", "1d", "--store", "s3://bucket"],
        "--store: this place cannot be used: the region of the bucket is missing"
      ),
      (
        ["--older-than", "13d", "--store", "s3://bucket?region=eu-central-1"],
        "--older-than: results name objects of up to 7 days without renewing them: write 14d or more"
      ),
      (
        ["--older-than", "30d", "--store", "s3://bucket/a?region=eu-central-1"],
        "nothing was removed: a bucket prunes itself once it has the lifecycle rule that is on stdout. Add the rule to those that the bucket of s3://bucket/a?region=eu-central-1 has"
      ),
      (
        ["--older-than", "1d", "--store", "/nonexistent"],
        "the directory /nonexistent does not exist: create it"
      ),
      ([], "Missing expected argument '--older-than"),
    ])
  func usage(arguments: [String], says: String) async throws {
    let run = try await PushEnricher.run(["store", "prune"] + arguments)
    #expect(run.termination == .exited(64))
    #expect(run.standardError.contains(says), "\(run.standardError)")
  }
}
