internal import ArgumentParser
internal import Enriching
internal import Fetching
internal import Notifications

struct CommonOptions: RowOptions {
  static let rows = OptionRow.common + [.config]
  var given: [String: [String]] = [:]
}

extension OptionRow {
  /// Applied in this order: a later one may depend on an earlier one.
  static let common: [OptionRow] = [
    store,
    OptionRow(
      "public-url", "prefix", "What the URL of a stored file starts with in the payload.",
      default: "file:// and the store", \.enrichment.publicURL, Parse.prefix),
    OptionRow(
      "deadline", "time", "Time for one payload, 30s at most.", default: "30s", \.enrichment.deadline,
      Parse.deadline),
    OptionRow(
      "memory", "size", "Private memory of the process.", default: "12MB", \.enrichment.memory, Parse.bytes),
    OptionRow("concurrency", "n", "Downloads at once.", default: "64", \.enrichment.concurrency) {
      try Parse.number($0, in: 1...1_024)
    },
    OptionRow(
      "allow-network", kind: .many, "cidr", "Network to connect to although it is not public: 127.0.0.0/8."
    ) { $2.enrichment.fetching.addresses.allowed.append(try AddressRange($0)) },
    OptionRow(
      "deny-network", kind: .many, "cidr",
      "Network never to connect to, even if it is public or allowed: 198.51.100.0/24."
    ) { $2.enrichment.fetching.addresses.denied.append(try AddressRange($0)) },
    .flag("allow-http", "Fetch http:// too; otherwise https only.", \.enrichment.fetching.allowsHTTP),
    .flag(
      "allow-downgrade", "Follow redirects from https:// to http:// too, if http:// is fetched.",
      \.enrichment.fetching.allowsDowngrade),
    OptionRow("allow-port", kind: .many, "port", "Port to connect to beside 443, and 80 for http.") {
      $2.enrichment.fetching.allowedPorts.insert(try Parse.port($0))
    },
    OptionRow(
      "media-key", kind: .many, "a.b.c",
      #"Further place of a media URL in a payload: data.hero.image; '\.' for a dot in a name."#
    ) { $2.enrichment.mediaKeys.append(try MediaKey($0)) },
    OptionRow(
      "keys", "file",
      #"JSON file of keys for what is encrypted: {"name": {"format": "aes128gcm", "key": "…"}}."#
    ) { $2.enrichment.keys = .file($0) },
    OptionRow("keys-dir", "dir", "Directory of such files, *.json, instead.") { directory, _, values in
      guard values.enrichment.keys == nil else {
        throw CommandError("--keys names a file already: give one of the two, --keys or --keys-dir")
      }
      values.enrichment.keys = .directory(directory)
    },
    caFile,
    OptionRow(
      "name-servers", kind: .list, "address[:port]",
      "Name servers to ask instead of the system's, by commas.", \.enrichment.fetching.nameServers,
      Parse.nameServers),
    .flag(
      "require-all", "Leave a payload unmodified unless all of its media work.", \.enrichment.requiresAll),
    .flag(
      "require-sandbox", "Do not start if a part of the sandbox cannot be had from this kernel.",
      \.requiresSandbox),
    OptionRow(
      "write", kind: .list, "way,…",
      "How a result names the stored files: attachments, in-place, or both by commas.", default: "attachments"
    ) { $2.enrichment.writing = try Parse.writing($0, publicURL: $2.enrichment.publicURL) },
    OptionRow(
      "attachments-key", "name", "Name of the member that is added.", default: "attachments",
      \.enrichment.attachmentsKey, Parse.attachmentsKey),
    OptionRow(
      "limits", kind: .list, "family=size,…", "Largest files.", default: "audio=5MB,image=10MB,video=50MB"
    ) { $2.enrichment.limits = try Parse.limits($0, over: $2.enrichment.limits) },
    OptionRow(
      "cache", "size",
      "What to remember of URLs, to fetch them once, in a file of the store: 16MB is 31,000 URLs.",
      default: "0, which is nothing", \.enrichment.cacheBytes, Parse.cacheSize),
  ]

  static let store = OptionRow(
    "store", "dir", "Directory that the media are stored in.", default: "./attachments"
  ) {
    $2.enrichment.store = try Parse.directory($0)
    $2.enrichment.makesStore = false
  }

  static let caFile = OptionRow(
    "ca-file", "pem", "Certificate authorities to trust beside the system's.",
    \.enrichment.fetching.certificateFile, { $0 })

  /// Names the file of options, and so does not stand in it.
  static let config = OptionRow("config", "file", #"JSON file of options: {"store": "/srv/media"}."#)
}
