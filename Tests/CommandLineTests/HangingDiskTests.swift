import Enriching
import Misbehaving
import TestSupport
import Testing

/// A disk that never answers, simulated by preloaded functions of the C library that wait forever
/// (`ld.so(8)`, LD_PRELOAD).
@Suite("A disk that hangs")
struct HangingDiskTests {
  private static let source = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/stat.h>
    #include <sys/uio.h>
    #include <unistd.h>
    static int hangs(const char *call) { return strcmp(getenv("HANGS"), call) == 0; }
    static void hang(void) { for (;;) pause(); }
    ssize_t writev(int file, const struct iovec *parts, int count) {
      struct stat status;
      if (hangs("writev") && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 0) hang();
      return ((ssize_t (*)(int, const struct iovec *, int))dlsym(RTLD_NEXT, "writev"))(file, parts, count);
    }
    int linkat(int a, const char *b, int c, const char *d, int e) {
      if (hangs("linkat")) hang();
      return ((int (*)(int, const char *, int, const char *, int))dlsym(RTLD_NEXT, "linkat"))(a, b, c, d, e);
    }
    """

  /// Short bodies are written by the committing thread, long ones by the transfer loop.
  @Test(
    "does not hold up a payload",
    arguments: [
      ("writev", .photo), ("linkat", .photo),
      ("writev", .padded("photo.jpg", as: "image/jpeg", to: 1_000_000)),
    ] as [(String, Response)])
  func hangs(call: String, first: Response) async throws {
    try await withTemporaryDirectory { folder in
      let source = try folder.write(Array(Self.source.utf8), to: "hang.c")
      let library = folder.path(of: "hang.so")
      try await Command("gcc").runSuccessfully(["-shared", "-fPIC", "-o", library, source, "-ldl"])
      try await withHostileServer { server in
        let payload = Push.naming(server.url(.serve(first)), server.url(.serve(.clip)))
        let enriched = try await enrich(
          payload, reaching(server.port) + ["--deadline", "2s"],
          environment: ["LD_PRELOAD": library, "HANGS": call])
        expectUnmodified(enriched, .deadlineExceeded, saying: "medium 1 of 2 was waiting for")
        #expect(enriched.stored == [])
      }
    }
  }
}
