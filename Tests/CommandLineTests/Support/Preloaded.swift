import TestSupport

/// Functions in C that take the place of those of libraries in a program that is run (`ld.so(8)`,
/// LD_PRELOAD).
struct Preloaded: Sendable {
  /// Where the library lies.
  let path: String

  /// Compiles `source` in `folder`.
  init(_ source: String, in folder: TemporaryDirectory) async throws {
    let file = try folder.write(Array(source.utf8), to: "preloaded.c")
    path = folder.path(of: "preloaded.so")
    try await Command("gcc").runSuccessfully([
      "-Wall", "-Werror", "-shared", "-fPIC", "-o", path, file, "-ldl",
    ])
  }

  /// What has a program load it, with variables that it reads.
  func environment(_ variables: [String: String] = [:]) -> [String: String] {
    variables.merging(["LD_PRELOAD": path]) { $1 }
  }
}
