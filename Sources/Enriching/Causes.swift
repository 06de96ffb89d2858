/// OpenSSL 3.0 and libcurl 7.88 name the cause only in English sentences.
extension Cause {
  static let tls = [
    Cause(
      ["wrong version number", "http request", "packet length too long", "record layer failure"],
      words: "the server does not speak TLS on that port",
      "use the port of https, or allow http with --allow-http if the file is not secret"),
    Cause(
      ["has expired"], words: "the server's certificate has expired",
      "renew the server's certificate; check the clock of this machine"),
    Cause(
      ["not yet valid"], words: "the server's certificate is not valid yet",
      "check the clock of this machine and the server's certificate"),
    Cause(
      ["subject name", "does not match", "hostname mismatch", "ip address mismatch"],
      words: "the server's certificate is for another name",
      "use the host name that the certificate has, or add this one to the certificate"),
    Cause(
      [
        "self-signed", "self signed", "local issuer", "unable to verify", "unknown ca",
        "in certificate chain",
      ],
      words: "the server's certificate is not from a known authority",
      "have the server send its intermediate certificates, or add an authority of your own with --ca-file"),
    Cause(
      [
        "unsupported protocol", "protocol version", "no protocols", "no shared cipher", "handshake failure",
        "dh key too small", "key too small", "md too weak", "insufficient security",
      ],
      words: "the server and this program have no version of TLS, or no cipher, in common",
      "have the server offer TLS 1.2 or 1.3 with current ciphers"),
    Cause(
      ["no certificate authorities"], words: "no server can be trusted",
      "install the package ca-certificates, or name a file of authorities with --ca-file"),
    Cause(
      ["no application protocol"], words: "the server does not offer HTTP/1.1",
      "have the server offer HTTP/1.1 (ALPN http/1.1) besides its other protocols"),
    Cause(
      ["unrecognized name"], words: "the server has no site of that name",
      "use a host name that the server has a certificate for"),
    Cause(
      [" alert ", "unsupported extension"], words: "the server refused the TLS handshake",
      "check the server's log, and that it serves this host name over TLS"),
    Cause(
      ["ssl_error_syscall", "unexpected eof"], words: "the connection ended during the TLS handshake",
      "check the server's log: it ended the connection, or a proxy in front of it did"),
    Cause(
      words: "the TLS connection failed",
      "check the server's certificate; --ca-file adds a certificate authority of your own"),
  ]

  static let connecting = [
    // In TLS 1.3, the server says this after the handshake.
    Cause(
      ["certificate required"], words: "the server asks for a client certificate",
      "serve the media without client certificates: none is sent"),
    Cause(
      ["network is unreachable", "no route to host"], words: "there is no route to the host",
      "check this machine's routes; without IPv6, serve the media over IPv4 too"),
    Cause(
      ["cannot assign requested address"], words: "this machine has no address or port to connect from",
      "check this machine's addresses and free ports; without IPv6, serve the media over IPv4 too"),
    Cause(
      ["refused", "couldn't connect", "could not connect"], words: "nothing listens there",
      "check that the server is up, and that its firewall lets this machine in"),
    Cause(
      ["timed out", "timeout"], words: "the host does not answer",
      "check that the server is up, and that its firewall lets this machine in"),
    Cause(
      ["reset", "empty reply", "ended before", "broken pipe", "recv failure", "send failure"],
      words: "the connection broke before the answer came",
      "check the server's log: it ended the connection, or a proxy in front of it did"),
    Cause(words: "no connection could be made", "check that the server is up and reachable from here"),
  ]

  static let templates = [
    Cause(
      ["{{", "}}", "{%", "<%", "${", "%%"],
      "fill in the placeholder before the push is sent: the template did not replace it")
  ]

  /// Advice by the scheme of the URL.
  static let urls = [
    Cause(["data"], "put the file on a server and send its https URL: data in a URL is not fetched"),
    Cause(["cid"], "send an https URL: cid: names a part of an email"),
    Cause(["blob"], "send an https URL: blob: names data in the memory of one browser"),
    Cause(["file", "content"], "send an https URL: this names a file on one device"),
    Cause(
      ["gs", "s3", "az", "abfs", "wasb"],
      "send the https URL of the object, signed if it is not public: only the cloud's own programs open this"),
    Cause(["mxc"], "send the https URL of the homeserver's download of it: only Matrix opens mxc:"),
    Cause(["ipfs", "ipns"], "send the https URL of a gateway"),
    Cause(["aesgcm"], "put the media into encrypted content; push-enricher seal makes examples"),
    Cause(["ftp", "ftps", "sftp"], "serve the file over https: nothing else is fetched"),
  ]

  /// Advice by the kind of the bytes.
  static let bytes = [
    Cause(
      ["html"],
      "link to the file itself: this is a page, such as a share link, a login or an error"),
    Cause(
      ["empty"], "check that the server has the whole file: it sent a success status and no bytes"),
    Cause(
      ["json", "xml"],
      "link to the file itself: the server sent a message with a success status, perhaps an error"),
    Cause(["base64"], "have the server send the file's bytes, not their base64 text"),
    Cause(
      ["svg"], "send a PNG or a JPEG of it: iOS does not draw SVG"),
    Cause(
      ["lossless jpeg", "hierarchical jpeg", "arithmetic-coded jpeg", "jpeg-ls", "jpeg xr"],
      "save it as baseline or progressive JPEG, or as PNG: iOS does not decode this kind of JPEG"),
    Cause(
      ["initialization segment", "mp4 fragment", "piece of"],
      "link to a whole file: this is one piece of a stream"),
    Cause(["encrypted mp4", "protected"], "send it without DRM: only the app that has its key can play it"),
    Cause(["playlist"], "link to a file with the whole video: playlists are not followed"),
    Cause(
      [
        "without content", "without media", "without tracks", "without sound", "without audio", "without its",
      ],
      "check the file on the server: it is cut off, or has nothing to show"),
    Cause([" other byte"], "have the server send only the file: other bytes come before it"),
    Cause(
      ["quicktime"],
      "send it as MP4 with H.264 and AAC; if it has these, “ffmpeg -i FILE.mov -c copy FILE.mp4” repacks it"),
    Cause(
      ["audio or video", " media"],
      "send it as MP4 with H.264 and AAC or, if it has only sound, as MP3 or M4A"),
    Cause(
      ["video", "movie", "transport stream", "animation", "realmedia", "recording"],
      "send it as MP4 with H.264 and AAC: iOS does not take this kind in a notification"),
    Cause(
      ["audio", "music", "sound"],
      "send it as MP3, as M4A with AAC, or as WAVE or AIFF with linear PCM: iOS does not take this kind in a notification"
    ),
    Cause(
      ["image", "icon", "cursor", "codestream"],
      "send it as JPEG, PNG or GIF: iOS does not take this kind in a notification"),
    Cause(
      ["document", "book", "subtitles"],
      "send a picture of it as JPEG or PNG: iOS attaches only pictures, sound and films"),
    Cause(["archive", "cabinet"], "unpack it on the server, and link to the picture, sound or film in it"),
  ]
}

extension StatusCause {
  static let rows = [
    StatusCause(
      statuses: 401...401, advice: "serve the file without a login, or sign its URL: no credentials are sent"),
    StatusCause(
      statuses: 403...403,
      advice:
        "check that a signed URL has not expired, and that the server needs no Referer, cookie or known User-Agent"
    ),
    StatusCause(
      statuses: 404...404, advice: "check the URL: the server does not have the file, or no longer has it"),
    StatusCause(
      statuses: 410...410, advice: "send another URL: the server says that the file is gone for good"),
    StatusCause(
      statuses: 407...407, advice: "serve the file without a proxy that asks for a login"),
    StatusCause(
      statuses: 408...408,
      advice: "check the server, and what is in front of it: it says that the request came too late"),
    StatusCause(
      statuses: 429...429,
      advice: "send fewer requests, or have the server allow more"),
    StatusCause(
      statuses: 400...499, advice: "check the URL: the server does not accept this request as it is"),
    StatusCause(
      statuses: 500...599, advice: "check the server, and send the push again later: the server has a problem"
    ),
    StatusCause(
      statuses: 200...299, advice: "check that the server answers 200 with the whole file"),
    StatusCause(
      statuses: 304...304,
      advice: "check the server: it answers 304 Not Modified, although the request was not conditional"),
    StatusCause(statuses: 301...303, advice: withoutLocation),
    StatusCause(statuses: 307...308, advice: withoutLocation),
    StatusCause(
      statuses: 300...399,
      advice: "link to the file itself: of these statuses, only 301, 302, 303, 307 and 308 are followed"),
  ]

  private static let withoutLocation = "check the server: it redirects, but does not say where to"
}
