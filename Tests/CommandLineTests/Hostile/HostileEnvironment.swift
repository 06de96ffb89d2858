import Misbehaving
import TestSupport

/// An environment that somebody else has set, with all that libraries and programs like to look at.
struct HostileEnvironment {
  let variables: [String: String]
  /// What a library would write the keys of TLS into.
  let keyLog: String

  /// - Parameters:
  ///   - folder: where the files are written that it names.
  ///   - proxy: where everything should go.
  ///   - authority: whom everybody should trust, PEM.
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
