internal import Glibc

/// The environment of the process, without Foundation.
enum ProcessEnvironment {
  static var variables: [String: String] {
    var variables: [String: String] = [:]
    var index = 0
    while let entry = unsafe environ[index] {
      let sides = unsafe String(cString: entry).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if sides.count == 2 { variables[String(sides[0])] = String(sides[1]) }
      index += 1
    }
    return variables
  }
}
