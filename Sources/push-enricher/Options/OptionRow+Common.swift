internal import ArgumentParser
internal import Enriching
internal import Fetching
internal import Notifications

/// The options of every command that enriches.
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
      default: "file:// and the store", Parse.prefix
    ) { $0.enrichment.publicURL = $1 },
    OptionRow("deadline", "time", "Time for one payload, 30s at most.", default: "30s", Parse.deadline) {
      $0.enrichment.deadline = $1
    },
    OptionRow("memory", "size", "Private memory of the process.", default: "12MB", Parse.bytes) {
      $0.enrichment.memory = $1
    },
    OptionRow("concurrency", "n", "Downloads at once.", default: "64", Parse.number(1...1_024)) {
      $0.enrichment.concurrency = $1
    },
    OptionRow(
      "allow-network", kind: .many, "cidr", "Network to connect to although it is not public: 127.0.0.0/8.",
      Parse.network
    ) { $0.addresses = AddressPolicy(allowing: $0.addresses.allowed + [$1], denying: $0.addresses.denied) },
    OptionRow(
      "deny-network", kind: .many, "cidr",
      "Network never to connect to, even if it is public or allowed: 198.51.100.0/24.", Parse.network
    ) { $0.addresses = AddressPolicy(allowing: $0.addresses.allowed, denying: $0.addresses.denied + [$1]) },
    .flag("allow-http", "Fetch http:// too; otherwise https only.") {
      $0.enrichment.fetching.allowsHTTP = $1
    },
    .flag("allow-downgrade", "Follow redirects from https:// to http:// too, if http:// is fetched.") {
      $0.enrichment.fetching.allowsDowngrade = $1
    },
    OptionRow(
      "allow-port", kind: .many, "port", "Port to connect to beside 443, and 80 for http.", Parse.port
    ) { $0.enrichment.fetching.allowedPorts.insert($1) },
    OptionRow(
      "media-key", kind: .many, "a.b.c",
      #"Further place of a media URL in a payload: data.hero.image; '\.' for a dot in a name."#,
      Parse.mediaKey
    ) { $0.enrichment.mediaKeys.append($1) },
    OptionRow(
      "keys", "file",
      #"JSON file of keys for what is encrypted: {"name": {"format": "aes128gcm", "key": "…"}}."#, Parse.text
    ) { $0.enrichment.keys = .file($1) },
    OptionRow("keys-dir", "dir", "Directory of such files, *.json, instead.") {
      (directory, _, values) throws(CommandError) in
      guard values.enrichment.keys == nil else {
        throw CommandError("--keys names a file already: give one of the two, --keys or --keys-dir")
      }
      values.enrichment.keys = .directory(directory)
    },
    caFile,
    OptionRow(
      "name-servers", kind: .list, "address[:port]",
      "Name servers to ask instead of the system's, by commas.",
      Parse.nameServers
    ) { $0.enrichment.fetching.nameServers = $1 },
    .flag("require-all", "Leave a payload unmodified unless all of its media work.") {
      $0.enrichment.requiresAll = $1
    },
    .flag("require-sandbox", "Do not start if a part of the sandbox cannot be had from this kernel.") {
      $0.requiresSandbox = $1
    },
    OptionRow(
      "write", kind: .list, "way,…",
      "How a result names the stored files: attachments, in-place, or both by commas.",
      default: "attachments"
    ) { (text, _, values) throws(CommandError) in
      values.enrichment.writing = try Parse.writing(text, publicURL: values.enrichment.publicURL)
    },
    OptionRow(
      "attachments-key", "name", "Name of the member that is added.", default: "attachments",
      Parse.attachmentsKey
    ) { $0.enrichment.attachmentsKey = $1 },
    OptionRow(
      "limits", kind: .list, "family=size,…", "Largest files.", default: "audio=5MB,image=10MB,video=50MB"
    ) { (text, _, values) throws(CommandError) in
      values.enrichment.limits = try Parse.limits(text, over: values.enrichment.limits)
    },
    OptionRow(
      "cache", "size",
      "What to remember of URLs, to fetch them once, in a file of the store: 16MB is 31,000 URLs.",
      default: "0, which is nothing", Parse.cacheSize
    ) { $0.enrichment.cacheBytes = $1 },
  ]

  static let store = OptionRow(
    "store", "dir", "Directory that the media are stored in.", default: "./attachments", Parse.directory
  ) {
    $0.enrichment.store = $1
    $0.enrichment.makesStore = false
  }

  static let caFile = OptionRow(
    "ca-file", "pem", "Certificate authorities to trust beside the system's.", Parse.text
  ) { $0.enrichment.fetching.certificateFile = $1 }

  /// Names the file of options, and so does not stand in it.
  static let config = OptionRow("config", "file", #"JSON file of options: {"store": "/srv/media"}."#)
}

extension OptionValues {
  fileprivate var addresses: AddressPolicy {
    get { enrichment.fetching.addresses }
    set { enrichment.fetching.addresses = newValue }
  }
}
