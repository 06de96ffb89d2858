import TestSupport
import Testing

@testable import Enriching

/// File trees as the kernel presents them, with the limit that the program should find in each.
@Suite("ControlGroup")
struct ControlGroupTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let membership: String
    /// The texts of the files, by their paths from the mount point.
    let files: [String: String]
    let limit: Int?
  }

  private static let samples = [
    Sample(
      testDescription: "a group of version 1", membership: "8:memory:/limit-7\n3:cpuset:/\n0::/\n",
      files: ["memory/limit-7/memory.limit_in_bytes": "12582912\n"], limit: 12_582_912),
    Sample(
      testDescription: "memory beside another controller", membership: "4:cpu,memory:/a\n",
      files: ["memory/a/memory.limit_in_bytes": "12582912\n"], limit: 12_582_912),
    Sample(
      testDescription: "version 1 without a limit", membership: "8:memory:/a\n",
      files: ["memory/a/memory.limit_in_bytes": "9223372036854771712\n"], limit: nil),
    Sample(
      testDescription: "a group of version 2", membership: "0::/system.slice/push.service\n",
      files: ["system.slice/push.service/memory.max": "20000000\n"], limit: 20_000_000),
    Sample(
      testDescription: "version 2 without a limit", membership: "0::/a\n", files: ["a/memory.max": "max\n"],
      limit: nil),
    Sample(
      testDescription: "the narrowest of several", membership: "0::/a/b/c\n",
      files: ["a/b/c/memory.max": "max\n", "a/b/memory.max": "30000000\n", "a/memory.max": "40000000\n"],
      limit: 30_000_000),
    Sample(
      testDescription: "a container that sees only its own group", membership: "8:memory:/docker/0123\n",
      files: ["memory/memory.limit_in_bytes": "12582912\n"], limit: 12_582_912),
    Sample(
      testDescription: "as much as this program can ever use", membership: "0::/a\n",
      files: ["a/memory.max": "268435456\n"], limit: nil),
    Sample(
      testDescription: "what is no number", membership: "0::/a\n8:memory:/b\nnonsense\n\n",
      files: ["a/memory.max": "", "memory/b/memory.limit_in_bytes": "-1\n"], limit: nil),
    Sample(testDescription: "no groups at all", membership: "", files: [:], limit: nil),
  ]

  @Test("is found where the kernel presents it", arguments: samples)
  func limit(sample: Sample) async throws {
    try await withTemporaryDirectory { folder in
      for (path, text) in sample.files {
        let parent = path.split(separator: "/").dropLast().joined(separator: "/")
        try await Command("mkdir").runSuccessfully(["-p", folder.path(of: parent)])
        try folder.write(Array(text.utf8), to: path)
      }
      #expect(ControlGroup(membership: sample.membership, root: folder.path)?.limit == sample.limit)
    }
  }

  @Test("leaves memory for the files that are being written") func shares() throws {
    let group = ControlGroup(limit: 12_582_912)
    #expect(group.privateMemory == 6_990_505)
    #expect(group.mostPrivateMemory == 7_864_320)
    #expect(group.unwrittenBytes == 2_516_582)
  }
}
