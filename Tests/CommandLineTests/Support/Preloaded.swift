import TestSupport

/// A library of C functions that replace those of other libraries in a program (`ld.so(8)`,
/// LD_PRELOAD).
struct Preloaded: Sendable {
  /// The path of the library.
  let path: String

  /// Compiles `source` in `folder`.
  init(_ source: String, in folder: TemporaryDirectory) async throws {
    let file = try folder.write(Array(source.utf8), to: "preloaded.c")
    path = folder.path(of: "preloaded.so")
    try await Command("gcc").runSuccessfully([
      "-Wall", "-Werror", "-shared", "-fPIC", "-o", path, file, "-ldl",
    ])
  }

  /// The environment in which a program loads the library, with variables for it.
  func environment(_ variables: [String: String] = [:]) -> [String: String] {
    variables.merging(["LD_PRELOAD": path]) { $1 }
  }
}
