internal import Glibc

/// The environment of the process, without Foundation.
enum ProcessEnvironment {
  static var variables: [String: String] {
    var variables: [String: String] = [:]
    var index = 0
    while let entry = unsafe environ[index] {
      let text = unsafe String(cString: entry)
      if let equals = text.firstIndex(of: "=") {
        variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
      }
      index += 1
    }
    return variables
  }
}
