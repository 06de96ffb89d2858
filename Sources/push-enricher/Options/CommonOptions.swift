internal import ArgumentParser
internal import Enriching
internal import Fetching

/// The options of every command that enriches.
///
/// All are optional here: the environment and the file can have what the command line leaves out.
struct CommonOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Directory that the media are stored in. (default: ./attachments)", valueName: "dir"))
  var store: String?
  @Option(
    help: ArgumentHelp(
      "What the URL of a stored file starts with in the payload. (default: file:// and the store)",
      valueName: "prefix"))
  var publicURL: String?
  @Option(help: ArgumentHelp("Time for one payload, 30s at most. (default: 30s)", valueName: "time"))
  var deadline: String?
  @Option(help: ArgumentHelp("Private memory of the process. (default: 12MB)", valueName: "size"))
  var memory: String?
  @Option(help: ArgumentHelp("Downloads at once. (default: 64)", valueName: "n"))
  var concurrency: String?
  @Option(
    help: ArgumentHelp(
      "Network to connect to although it is not public: 127.0.0.0/8. Repeatable.", valueName: "cidr"))
  var allowNetwork: [String] = []
  @Option(
    help: ArgumentHelp(
      "Network never to connect to, even if it is public or allowed: 198.51.100.0/24. Repeatable.",
      valueName: "cidr"))
  var denyNetwork: [String] = []
  @Flag(inversion: .prefixedNo, help: "Fetch http:// too; otherwise https only. (default: --no-allow-http)")
  var allowHTTP: Bool?
  @Flag(
    inversion: .prefixedNo,
    help:
      "Follow redirects from https:// to http:// too, if http:// is fetched. (default: --no-allow-downgrade)")
  var allowDowngrade: Bool?
  @Option(
    help: ArgumentHelp("Port to connect to beside 443, and 80 for http. Repeatable.", valueName: "port"))
  var allowPort: [String] = []
  @Option(
    help: ArgumentHelp(
      #"Further place of a media URL in a payload: data.hero.image; '\.' for a dot in a name. Repeatable."#,
      valueName: "a.b.c"))
  var mediaKey: [String] = []
  @Option(
    help: ArgumentHelp(
      "JSON file of keys for what is encrypted: {\"name\": {\"format\": \"aes128gcm\", \"key\": \"…\"}}.",
      valueName: "file"))
  var keys: String?
  @Option(help: ArgumentHelp("Directory of such files, *.json, instead.", valueName: "dir"))
  var keysDir: String?
  @Option(help: ArgumentHelp("Certificate authorities to trust beside the system's.", valueName: "pem"))
  var caFile: String?
  @Option(
    help: ArgumentHelp(
      "Name servers to ask instead of the system's, by commas.", valueName: "address[:port]"))
  var nameServers: String?
  @Flag(
    inversion: .prefixedNo,
    help: "Leave a payload unmodified unless all of its media work. (default: --no-require-all)")
  var requireAll: Bool?
  @Flag(
    inversion: .prefixedNo,
    help:
      "Do not start if a part of the sandbox cannot be had from this kernel. (default: --no-require-sandbox)")
  var requireSandbox: Bool?
  @Option(
    help: ArgumentHelp(
      "How a result names the stored files: attachments, in-place, or both by commas. (default: attachments)",
      valueName: "way,…"))
  var write: String?
  @Option(help: ArgumentHelp("Name of the member that is added. (default: attachments)", valueName: "name"))
  var attachmentsKey: String?
  @Option(
    help: ArgumentHelp(
      "Largest files. (default: audio=5MB,image=10MB,video=50MB)", valueName: "family=size,…"))
  var limits: String?
  @Option(
    help: ArgumentHelp(
      "What to remember of URLs, to fetch them once, in a file of the store: 16MB is 31,000 URLs. (default: 0, which is nothing)",
      valueName: "size"))
  var cache: String?
  @Option(help: ArgumentHelp("JSON file of options: {\"store\": \"/srv/media\"}.", valueName: "file"))
  var config: String?
}

extension CommonOptions {
  /// - Parameter sources: with the file that `config` names.
  /// - Throws: `OptionError`, which names the place of a wrong value, what is wrong with it and what would be
  ///   right.
  func settings(from sources: OptionSources) throws(OptionError) -> EnrichmentSettings {
    var settings = EnrichmentSettings()
    settings.warn = { Console.line($0) }
    let directory = try sources.read(.store, store, Self.directory)
    settings.store = directory ?? settings.store
    settings.makesStore = directory == nil
    settings.publicURL = try sources.read(.publicURL, publicURL, Self.prefix) ?? settings.publicURL
    settings.deadline = try sources.read(.deadline, deadline, Self.deadline) ?? settings.deadline
    settings.memory = try sources.read(.memory, memory, ByteCount.parse) ?? settings.memory
    settings.concurrency =
      try sources.read(.concurrency, concurrency, Self.concurrency) ?? settings.concurrency
    settings.fetching.addresses = AddressPolicy(
      allowing: try sources.readAll(.allowNetwork, allowNetwork, Self.network),
      denying: try sources.readAll(.denyNetwork, denyNetwork, Self.network))
    settings.fetching.allowsHTTP =
      try sources.read(.allowHTTP, allowHTTP.map { "\($0)" }, Self.truth) ?? settings.fetching.allowsHTTP
    settings.fetching.allowsDowngrade =
      try sources.read(.allowDowngrade, allowDowngrade.map { "\($0)" }, Self.truth)
      ?? settings.fetching.allowsDowngrade
    settings.fetching.allowedPorts.formUnion(try sources.readAll(.allowPort, allowPort, Self.port))
    settings.mediaKeys += try sources.readAll(.mediaKey, mediaKey, Self.mediaKey)
    let keyFile = try sources.read(.keys, keys) { $0 }
    let keyDirectory = try sources.read(.keysDir, keysDir) { (path) throws(OptionError) in
      guard keyFile == nil else {
        throw OptionError("--keys names a file already: give one of the two, --keys or --keys-dir")
      }
      return path
    }
    settings.keys = keyFile.map { KeyLocation.file($0) } ?? keyDirectory.map { .directory($0) }
    settings.fetching.certificateFile =
      try sources.read(.caFile, caFile) { $0 } ?? settings.fetching.certificateFile
    settings.fetching.nameServers =
      try sources.read(.nameServers, nameServers, Self.nameServers) ?? settings.fetching.nameServers
    settings.requiresAll =
      try sources.read(.requireAll, requireAll.map { "\($0)" }, Self.truth) ?? settings.requiresAll
    settings.writing =
      try sources.read(.write, write) { [prefix = settings.publicURL] (text) throws(OptionError) in
        try Self.writing(text, publicURL: prefix)
      } ?? settings.writing
    settings.attachmentsKey =
      try sources.read(.attachmentsKey, attachmentsKey, Self.attachmentsKey) ?? settings.attachmentsKey
    settings.limits =
      try sources.read(.limits, limits) { [limits = settings.limits] (text) throws(OptionError) in
        try Self.limits(text, over: limits)
      } ?? settings.limits
    settings.cacheBytes = try sources.read(.cache, cache, Self.cacheSize) ?? settings.cacheBytes
    return settings
  }
}
