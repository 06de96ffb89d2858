import Misbehaving
import TestSupport

/// An environment set by an attacker, with all the variables that libraries and programs read.
struct HostileEnvironment {
  let variables: [String: String]
  /// The file into which a library would write its TLS keys.
  let keyLog: String

  /// - Parameters:
  ///   - folder: where the files of the environment are written.
  ///   - proxy: the server that all requests should go to.
  ///   - authority: the PEM file of an authority that should be trusted.
  init(in folder: TemporaryDirectory, proxy: HostileServer, authority: String? = nil) throws {
    keyLog = folder.path(of: "keys.log")
    var variables = [
      "NO_PROXY": "nowhere.example", "no_proxy": "nowhere.example", "HOME": folder.path,
      "CURL_HOME": folder.path, "XDG_CONFIG_HOME": folder.path, "NETRC": folder.path(of: ".netrc"),
      "RES_OPTIONS": "ndots:15 retrans:1 retry:1 rotate", "LOCALDOMAIN": "inside.example",
      "HOSTALIASES": folder.path(of: "aliases"), "CARES_HOSTS": folder.path(of: "hosts"),
      "SSLKEYLOGFILE": keyLog,
    ]
    for scheme in ["http", "https", "all", "ftp"] {
      for name in ["\(scheme)_proxy", "\(scheme)_proxy".uppercased()] {
        variables[name] = "http://127.0.0.1:\(proxy.port)"
      }
    }
    for name in ["CURL_CA_BUNDLE", "SSL_CERT_FILE"] { variables[name] = authority ?? keyLog }
    variables["SSL_CERT_DIR"] = folder.path
    self.variables = variables
    try folder.write(Array("default login me password secret\n".utf8), to: ".netrc")
    try folder.write(
      Array("proxy = 127.0.0.1:\(proxy.port)\nuser-agent = evil\nlocation\n".utf8), to: ".curlrc")
    try folder.write(Array("short inside.example\n".utf8), to: "aliases")
    try folder.write(Array("127.0.0.1 short hosts.example\n".utf8), to: "hosts")
  }
}
