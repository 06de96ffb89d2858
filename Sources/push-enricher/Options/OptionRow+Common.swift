internal import ArgumentParser
internal import Enriching
internal import Fetching
internal import Notifications

struct CommonOptions: RowOptions {
  static let rows = OptionRow.common + [.config]
  var given: [String: [String]] = [:]
}

extension OptionRow {
  /// Applied in this order, because an option may depend on an earlier one.
  static let common: [OptionRow] = [
    store, spool,
    OptionRow(
      "public-url", "prefix", "What the URL of a stored file starts with in the payload.",
      default: "file:// and the store, or the bucket's URL", \.enrichment.publicURL, Parse.prefix),
    OptionRow(
      "deadline", "time", "Time for one payload, 30s at most.", default: "30s", \.enrichment.deadline,
      Parse.deadline),
    OptionRow(
      "memory", "size", "Private memory of the process.", default: "12MB", \.enrichment.memory, Parse.bytes),
    OptionRow("concurrency", "n", "Downloads at once.", default: "64", \.enrichment.concurrency) {
      try Parse.number($0, in: 1...1_024)
    },
    OptionRow(
      "allow-network", kind: .many, "cidr", "Network to connect to even though it is not public: 127.0.0.0/8."
    ) { $2.enrichment.fetching.addresses.allowed.append(try AddressRange($0)) },
    OptionRow(
      "deny-network", kind: .many, "cidr",
      "Network never to connect to, even if it is public or allowed: 198.51.100.0/24."
    ) { $2.enrichment.fetching.addresses.denied.append(try AddressRange($0)) },
    .flag("allow-http", "Fetch http:// too; otherwise https only.", \.enrichment.fetching.allowsHTTP),
    .flag(
      "allow-downgrade", "Follow redirects from https:// to http:// too, if http:// is fetched.",
      \.enrichment.fetching.allowsDowngrade),
    OptionRow("allow-port", kind: .many, "port", "Port to connect to in addition to 443, and 80 for http.") {
      $2.enrichment.fetching.allowedPorts.insert(try Parse.port($0))
    },
    OptionRow(
      "max-redirects", "n", "Redirects to follow for one URL, 20 at most.", default: "10",
      \.enrichment.fetching.maximumRedirects
    ) { try Parse.number($0, in: 0...20) },
    OptionRow(
      "user-agent", "text", "The User-Agent header of requests: a name, a version, perhaps a contact.",
      default: "push-enricher and its version", \.enrichment.fetching.userAgent, Parse.userAgent),
    OptionRow(
      "envelope", "name",
      "The envelope of every message: \(EnvelopeChoice.names.joined(separator: ", ")), or none.",
      default: "recognized", \.enrichment.envelopes, Parse.envelope),
    OptionRow(
      "payload-at", kind: .many, "a.b.c",
      "The place of the payload in a message of your own, also inside JSON in a string."
    ) { $2.enrichment.envelopes = try Parse.place($0, after: $2.enrichment.envelopes) },
    OptionRow(
      "media-key", kind: .many, "a.b.c",
      #"An additional place to look for a media URL in a payload: data.hero.image; '\.' for a dot in a name, * for all."#
    ) { $2.enrichment.mediaKeys.append(try MediaKey($0)) },
    OptionRow(
      "base-url", "prefix", "What completes relative media URLs in a payload: https://home.example.",
      \.enrichment.baseURL, Parse.prefix),
    OptionRow(
      "keys", "file",
      #"JSON file of keys for what is encrypted: {"name": {"format": "aes128gcm", "key": "…"}}."#
    ) { $2.enrichment.keys = .file($0) },
    OptionRow("keys-dir", "dir", "Directory of key files, *.json, instead of a single file.") {
      directory, _, values in
      guard values.enrichment.keys == nil else {
        throw CommandError("--keys names a file already: give one of the two, --keys or --keys-dir")
      }
      values.enrichment.keys = .directory(directory)
    },
    caFile,
    OptionRow(
      "name-servers", kind: .list, "address[:port]",
      "Name servers to ask instead of the system's, separated by commas.", \.enrichment.fetching.nameServers,
      Parse.nameServers),
    .flag(
      "require-all", "Leave a payload unmodified unless all of its media work.", \.enrichment.requiresAll),
    requireSandbox,
    OptionRow(
      "write", kind: .list, "way,…",
      "How a result names the stored files: attachments, in-place, or both, separated by commas.",
      default: "attachments"
    ) { $2.enrichment.writing = try Parse.writing($0, publicURL: $2.enrichment.devicesURL) },
    OptionRow(
      "attachments-key", "name", "Name of the member that is added to the payload.", default: "attachments",
      \.enrichment.attachmentsKey, Parse.attachmentsKey),
    .flag(
      "apply-texts",
      "Replace the alert's title, subtitle and body with the provider's once the media are attached.",
      \.enrichment.appliesTexts),
    OptionRow(
      "categories", "file",
      #"JSON file of categories and their actions: {"MESSAGE": [{"identifier": "reply", "title": "Reply"}]}."#
    ) { $2.enrichment.categories = try Parse.categories($0, besides: $2.enrichment.attachmentsKey) },
    OptionRow(
      "limits", kind: .list, "family=size,…",
      "Largest size of a file of each kind; most pixels of a picture.",
      default: "audio=5MB,image=10MB,video=50MB,pixels=50M,side=20000"
    ) { $2.enrichment.limits = try Parse.limits($0, over: $2.enrichment.limits) },
    OptionRow(
      "cache", "size",
      "Size of the URL cache, a file, so that each URL is fetched once: 16MB is 31,000 URLs.",
      default: "0, no cache", \.enrichment.cacheBytes, Parse.cacheSize),
    OptionRow(
      "cache-file", "file", "File of the URL cache.",
      default: ".push-enricher-cache in the store or the spool",
      \.enrichment.cacheFile, { $0 }),
  ]

  static let store = OptionRow(
    "store", "place",
    "Where to store the media: a directory, or a bucket, s3://BUCKET/PREFIX?region=REGION.",
    default: "./attachments"
  ) {
    $2.enrichment.store = try Parse.store($0, among: $2.enrichment.stores)
    $2.enrichment.makesStore = false
  }

  static let spool = OptionRow(
    "spool", "dir", "Directory in which media arrive on their way to a bucket.",
    default: "push-enricher-UID in $TMPDIR or /var/tmp", \.enrichment.spool, Parse.directory)

  static let requireSandbox = flag(
    "require-sandbox", "Do not start if this kernel cannot provide the whole sandbox.", \.requiresSandbox)

  static let caFile = OptionRow(
    "ca-file", "pem", "Certificate authorities to trust in addition to the system's.",
    \.enrichment.fetching.certificateFile, { $0 })

  /// Names the configuration file, so it cannot be set in that file.
  static let config = OptionRow("config", "file", #"JSON file of options: {"store": "/srv/media"}."#)
}
