import Glibc
import Supporting
import TestSupport
import Testing

@Suite("Files that other users may read")
struct FileExposureTests {
  @Test("are reported together, with the command that fixes them, and are not changed") func warning()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let own = try folder.write([], to: "own", mode: 0o600)
      let group = try folder.write([], to: "group", mode: 0o640)
      let all = try folder.write([], to: "it's all", mode: 0o644)
      #expect(FileExposure.warning(on: [own, folder.path(of: "none"), folder.path]) == nil)
      #expect(
        FileExposure.warning(on: [own, group, all])
          == "users other than the owner have access to \(group), '\(folder.path)/it'\\''s all' (mode 640): chmod 600 \(group) '\(folder.path)/it'\\''s all'"
      )
      #expect([own, group, all].map(Files.mode) == ["600", "640", "644"])
    }
  }

  @Test("include directories") func directory() async throws {
    try await withTemporaryDirectory { folder in
      #expect(FileExposure.directoryWarning(on: folder.path) == nil)
      #expect(unsafe chmod(folder.path, 0o750) == 0)
      #expect(
        FileExposure.directoryWarning(on: folder.path)
          == "users other than the owner have access to \(folder.path) (mode 750): chmod 700 \(folder.path)")
    }
  }

  @Test("are reported if every user can put files into their directory") func place()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "q.db")
      #expect(unsafe chmod(folder.path, 0o775) == 0)
      #expect(FileExposure.placeWarning(on: path) == nil)
      for mode: UInt32 in [0o777, 0o1777, 0o702] {
        #expect(unsafe chmod(folder.path, mode) == 0)
        #expect(
          FileExposure.placeWarning(on: path)
            == "every user may put files into the directory of \(path) (mode \(String(mode, radix: 8))): move it to a directory of its own, with mode 700"
        )
      }
    }
  }

  @Test("may not contain secrets, but pipes of the shell may") func secrets() async throws {
    try await withTemporaryDirectory { folder in
      let path = try folder.write([], to: "file", mode: 0o600)
      let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
      defer { close(file) }
      #expect(FileExposure(of: file) == nil)
      #expect(unsafe chmod(path, 0o604) == 0)
      #expect(FileExposure(of: file) == .open(mode: 0o604))
      if geteuid() == 0 {
        #expect(unsafe chmod(path, 0o600) == 0 && chown(path, 65_534, 0) == 0)
        #expect(FileExposure(of: file) == .foreign(owner: 65_534))
      }
      var ends: [Int32] = [0, 0]
      #expect(unsafe pipe(&ends) == 0)
      #expect(FileExposure(of: ends[0]) == nil)
      for end in ends { close(end) }
    }
  }
}
