import TestSupport
import Testing

@Suite("Setup of the whole process")
struct LibcurlSetupTests {
  /// Reports on stderr how many threads exist when the locale is set and libcurl is initialized.
  private static let source = """
    #define _GNU_SOURCE
    #include <dirent.h>
    #include <dlfcn.h>
    #include <stdio.h>
    static void tell(const char *what) {
      int threads = 0;
      DIR *tasks = opendir("/proc/self/task");
      for (struct dirent *task; tasks && (task = readdir(tasks));) threads += task->d_name[0] != '.';
      if (tasks) closedir(tasks);
      fprintf(stderr, "%s with %d threads\\n", what, threads);
    }
    char *setlocale(int category, const char *name) {
      if (name) tell("setlocale");
      return ((char *(*)(int, const char *))dlsym(RTLD_NEXT, "setlocale"))(category, name);
    }
    int curl_global_init(long flags) {
      tell("curl_global_init");
      return ((int (*)(long))dlsym(RTLD_NEXT, "curl_global_init"))(flags);
    }
    """

  /// Commands, and the calls that they make.
  static let commands = [
    (["enrich"], ["setlocale with 1 threads", "curl_global_init with 1 threads"]),
    (["work", "--from", "-", "--to", "-"], ["setlocale with 1 threads", "curl_global_init with 1 threads"]),
    (["demo", "--fault=reset"], ["setlocale with 1 threads", "curl_global_init with 1 threads"]),
    (["--version"], []),
  ]

  @Test("happens before there are threads, and only for commands that need it", arguments: commands)
  func threads(arguments: [String], calls: [String]) async throws {
    try await withTemporaryDirectory { folder in
      let library = try await Preloaded(Self.source, in: folder)
      let run = try await PushEnricher.run(
        arguments, input: Push.with(#""n":1"#) + [10],
        environment: library.environment([
          "PUSH_ENRICHER_STORE": folder.path,
          "PUSH_ENRICHER_DEAD_LETTERS": "sqlite:\(folder.path(of: "queue.db"))",
        ]))
      #expect(run.termination == .exited(0), "\(run.standardError)")
      let told = run.standardError.split(separator: "\n").map(String.init).filter { $0.hasSuffix(" threads") }
      #expect(told == calls, "\(run.standardError)")
    }
  }
}
