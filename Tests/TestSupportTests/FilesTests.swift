import TestSupport
import Testing

@Suite("Files, folders and ports")
struct FilesTests {
  @Test("a temporary folder is removed with its contents, but not the targets of its links")
  func temporaryDirectory() async throws {
    try await withTemporaryDirectory { outside in
      try outside.write(picture, to: "kept")
      let gone = try await withTemporaryDirectory { folder in
        #expect(folder.names.isEmpty)
        try folder.write(picture, to: "a")
        try await Command("ln").runSuccessfully(["-s", outside.path, folder.path(of: "link")])
        try await Command("mkdir").runSuccessfully(["-p", folder.path(of: "deep/er")])
        try folder.write([], to: "deep/er/b")
        #expect(folder.names == ["a", "deep", "link"])
        #expect(try Files.read(folder.path(of: "a")) == picture)
        #expect(try Files.size(of: folder.path(of: "a")) == picture.count)
        return folder.path
      }
      #expect(!Files.exists(gone))
      #expect(outside.names == ["kept"])
    }
  }

  @Test("the root of the package is found")
  func fixtures() {
    #expect(Files.exists("\(Fixtures.root)/Package.swift"))
    #expect(Fixtures.files(in: Fixtures.root, ending: ".swift") == ["\(Fixtures.root)/Package.swift"])
    #expect(Fixtures.files(in: "\(Fixtures.root)/no-such-folder").isEmpty)
  }

  @Test("free ports are different, and nothing listens on them")
  func ports() async throws {
    let ports = freePorts(8)
    #expect(Set(ports).count == 8)
    let port = freePort()
    #expect(try await curl("http://127.0.0.1:\(port)/").exitStatus == CurlExit.cannotConnect)
  }
}
