import Enriching
import Glibc
import Misbehaving
import TestSupport
import Testing

/// Libraries and file systems that behave differently from the tested ones.
@Suite("The self-test")
struct SelfTestTests {
  private static let source = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <errno.h>
    #include <fcntl.h>
    #include <stdlib.h>
    #include <string.h>
    static int lies(const char *what) { return strcmp(getenv("LIES"), what) == 0; }
    const char *magic_buffer(void *cookie, const void *bytes, size_t count) {
      if (lies("magic")) return "image/x-tga";
      return ((const char *(*)(void *, const void *, size_t))dlsym(RTLD_NEXT, "magic_buffer"))(cookie, bytes, count);
    }
    int EVP_CipherUpdate(void *context, unsigned char *out, int *length, const unsigned char *in, int count) {
      int status = ((int (*)(void *, unsigned char *, int *, const unsigned char *, int))dlsym(
        RTLD_NEXT, "EVP_CipherUpdate"))(context, out, length, in, count);
      if (lies("cipher") && out && *length) out[0] ^= 1;
      return status;
    }
    int EVP_CipherFinal_ex(void *context, unsigned char *out, int *length) {
      int status = ((int (*)(void *, unsigned char *, int *))dlsym(RTLD_NEXT, "EVP_CipherFinal_ex"))(
        context, out, length);
      return lies("tag") ? 1 : status;
    }
    void *EVP_KDF_fetch(void *context, const char *name, const char *properties) {
      if (lies("derivation")) return NULL;
      return ((void *(*)(void *, const char *, const char *))dlsym(RTLD_NEXT, "EVP_KDF_fetch"))(
        context, name, properties);
    }
    int linkat(int a, const char *b, int c, const char *d, int e) {
      if (lies("links")) { errno = EPERM; return -1; }
      return ((int (*)(int, const char *, int, const char *, int))dlsym(RTLD_NEXT, "linkat"))(a, b, c, d, e);
    }
    """

  /// The part that gives wrong answers, and the message about it.
  static let lies = [
    ("magic", "libmagic takes FLAC audio for 'image/x-tga': reinstall"),
    ("cipher", "OpenSSL's AES (aes128GCM) is missing or wrong: reinstall"),
    ("tag", "OpenSSL's AES (aes128GCM) is missing or wrong: reinstall"),
    ("derivation", "OpenSSL's HKDF is missing or wrong: reinstall"),
  ]

  @Test("work does not start if a library gives wrong answers", arguments: lies) func work(
    lie: String, saying: String
  ) async throws {
    try await withTemporaryDirectory { folder in
      let library = try await Preloaded(Self.source, in: folder)
      let store = folder.path(of: "store")
      #expect(unsafe mkdir(store, 0o755) == 0)
      let run = try await PushEnricher.run(
        [
          "work", "--from", "-", "--to", "-", "--dead-letters", "sqlite:\(folder.path)/queue.db", "--store",
          store,
        ],
        input: Push.with(#""n":1"#) + [10],
        environment: library.environment(["LIES": lie]))
      #expect(run.termination == .exited(70))
      #expect(run.output == "")
      #expect(
        run.standardError.contains(#""message":"the self-test failed: "#), "\(run.standardError)")
      #expect(run.standardError.contains(saying), "\(run.standardError)")
      #expect(Files.names(in: store) == [])
    }
  }

  @Test("work does not start if the store cannot name files, or cannot create unnamed ones")
  func store() async throws {
    try await withTemporaryDirectory { folder in
      let library = try await Preloaded(Self.source, in: folder)
      for (store, saying) in [
        (folder.path, "cannot name unnamed files (linkat), or /proc is not there"),
        ("/proc", "the file system of /proc has no unnamed files"),
      ] {
        let run = try await PushEnricher.run(
          [
            "work", "--from", "-", "--to", "-", "--dead-letters", "sqlite:\(folder.path)/queue.db", "--store",
            store,
          ],
          environment: library.environment(["LIES": "links"]))
        #expect(run.termination == .exited(64))
        #expect(run.standardError.contains(saying), "\(run.standardError)")
      }
    }
  }

  @Test(
    "enrich with keys returns the payload unmodified if OpenSSL gives wrong answers",
    arguments: ["cipher", "tag", "derivation"])
  func enrichWithKeys(lie: String) async throws {
    try await withTemporaryDirectory { folder in
      let library = try await Preloaded(Self.source, in: folder)
      let keys = try folder.write(Array("{}".utf8), to: "keys.json")
      #expect(unsafe chmod(keys, 0o600) == 0)
      let payload = Push.with(#""n":1"#)
      let run = try await PushEnricher.run(
        ["enrich", "--keys", keys], input: payload, environment: library.environment(["LIES": lie]))
      #expect(run.termination == .exited(70))
      #expect(run.standardOutput == payload)
      #expect(
        run.standardError.hasPrefix("push-enricher: the self-test failed: OpenSSL's "), "\(run.standardError)"
      )
    }
  }

  @Test("enrich does not trust a libmagic that gives wrong answers, and says so") func enrichWithoutMagic()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let library = try await Preloaded(Self.source, in: folder)
      try await withHostileServer { server in
        let url = server.url(.serve(Response(.bytes([UInt8](repeating: 0xC3, count: 200)))))
        let enriched = try await enrich(
          Push.naming(url), reaching(server.port), environment: library.environment(["LIES": "magic"]))
        expectUnmodified(
          enriched, .typeUnsupported,
          saying: "the bytes are unknown data; libmagic takes FLAC audio for 'image/x-tga'")
      }
    }
  }

  @Test("enrich says what the file system cannot do") func enrichWithoutLinks() async throws {
    try await withTemporaryDirectory { folder in
      let library = try await Preloaded(Self.source, in: folder)
      try await withHostileServer { server in
        let enriched = try await enrich(
          Push.naming(server.url(.serve(.photo))), reaching(server.port),
          environment: library.environment(["LIES": "links"]))
        expectUnmodified(enriched, .storeFailed, saying: "cannot name unnamed files")
      }
    }
  }
}
