import Enriching
import Misbehaving
import TestSupport

/// URLs that are not fetched, and addresses that are not connected to.
extension Fallback {
  static let ofURLs: [Fallback] = [
    .payload(.urlInvalid, "a relative reference", saying: "no scheme", Push.naming("/uploads/photo.jpg")),
    .payload(
      .urlInvalid, "a user name", saying: "user name",
      Push.naming("https://me:secret@media.example/photo.jpg")),
    .payload(
      .urlInvalid, "a line feed", saying: "control characters",
      Push.naming(#"https://media.example/\nphoto.jpg"#)),
    .payload(
      .urlInvalid, "a port beyond all ports", saying: "; correct the host, or the port after it",
      Push.naming("https://media.example:99999/photo.jpg")),
    .payload(
      .urlInvalid, "a host and a port",
      saying: "it has no scheme: a media URL starts with https://; put https:// before the host",
      Push.naming("media.example:8443/photo.jpg")),
    .payload(
      .urlInvalid, "a link in Markdown",
      saying: "there is other text around it; send the URL alone, without the marks or the text around it",
      Push.naming("![x](https://media.example/photo.jpg)")),
    .payload(.schemeNotAllowed, "http", saying: "'http'", Push.naming("http://media.example/photo.jpg")),
    .payload(.schemeNotAllowed, "a local file", saying: "'file'", Push.naming("file:///etc/passwd")),
    .payload(
      .schemeNotAllowed, "ftp, although http is allowed", Push.naming("ftp://media.example/a.jpg"),
      ["--allow-http"]),
    .payload(
      .portNotAllowed, "another than 443", saying: "port 8443",
      Push.naming("https://media.example:8443/a.jpg")),
    .payload(
      .portNotAllowed, "80 over https", saying: "port 80", Push.naming("https://media.example:80/a.jpg"),
      ["--allow-http"]),
  ]

  static let ofAddresses: [Fallback] = [
    .payload(
      .addressBlocked, "loopback", saying: "127.0.0.1 is not", Push.naming("https://127.0.0.1/photo.jpg")),
    .payload(
      .addressBlocked, "loopback as one number", saying: "127.0.0.1 is not",
      Push.naming("https://2130706433/a.jpg")),
    .payload(
      .addressBlocked, "loopback in IPv6", saying: "::1 is not", Push.naming("https://[::1]/photo.jpg")),
    .payload(.addressBlocked, "IPv4 inside IPv6", Push.naming("https://[::ffff:10.0.0.7]/photo.jpg")),
    .payload(
      .addressBlocked, "metadata of a cloud", saying: "cloud metadata",
      Push.naming("https://169.254.169.254/")),
    .payload(
      .addressBlocked, "another network than the one allowed", Push.naming("https://10.0.0.7/"),
      ["--allow-network", "10.1.0.0/16"]),
    .name(
      .addressBlocked, "a name for a private address", saying: "192.168.1.1 is not",
      .addresses(["192.168.1.1"])),
    .name(
      .addressBlocked, "one private address among public ones", .addresses(["93.184.216.34", "10.0.0.7"])),
    .server(
      .addressBlocked, "a redirect to a private address", saying: "10.0.0.7",
      .redirect(to: "https://10.0.0.7/")),
    .server(
      .portNotAllowed, "a redirect to another port", saying: "port 22", .redirect(to: "http://127.0.0.1:22/")),
    .server(
      .schemeNotAllowed, "a redirect to a file", saying: "'file:'", .redirect(to: "file:///etc/passwd")),
    .server(.urlInvalid, "a redirect to nowhere", .redirect(to: "https://")),
  ]

  static let ofNames: [Fallback] = [
    .name(.dnsFailed, "there is no such name", saying: "media.test was not resolved", .nameError),
    .name(.dnsFailed, "the name has no address", saying: "media.test", .addresses([])),
    .name(.dnsFailed, "the name server fails", saying: "media.test", .serverFailure),
  ]
}
