internal import ArgumentParser
internal import Enriching
internal import Fetching
internal import Notifications

/// The options that every command has which enriches.
///
/// All are optional here: what the command line leaves open, the environment and the file may say.
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
  @Flag(inversion: .prefixedNo, help: "Fetch http:// too; otherwise https only. (default: --no-allow-http)")
  var allowHTTP: Bool?
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

  /// What the environment and the file may name. The queues too, so that one file serves all commands.
  static let names =
    [
      "store", "public-url", "deadline", "memory", "concurrency", "allow-network", "allow-http", "allow-port",
      "media-key", "keys", "keys-dir", "ca-file", "name-servers", "require-all", "write", "attachments-key",
      "limits", "cache",
    ] + QueueRole.allCases.map(\.rawValue) + ["until-empty", "status", "wait-for-queues"]
}

extension CommonOptions {
  /// - Parameter environment: the process's.
  /// - Throws: `OptionError`, which names the place of a wrong value, what is wrong with it and what would be right.
  func settings(environment: [String: String]) throws(OptionError) -> EnrichmentSettings {
    let sources = try OptionSources(
      environment: environment, file: config, names: Self.names)
    var settings = EnrichmentSettings()

    func each(
      _ name: String, _ commandLine: [String], _ use: (String) throws(OptionError) -> Void
    ) throws(OptionError) {
      guard let found = sources.find(name, commandLine: commandLine) else { return }
      let isVariable = commandLine.isEmpty && found.origin == OptionSources.variable(name)
      for value in isVariable
        ? found.values.flatMap({ $0.split(separator: ",").map { String($0) } }) : found.values
      {
        do throws(OptionError) {
          try use(value)
        } catch {
          throw OptionError("\(found.origin): \(error)")
        }
      }
    }
    func last(
      _ name: String, _ commandLine: String?, _ use: (String) throws(OptionError) -> Void
    ) throws(OptionError) {
      guard let found = sources.find(name, commandLine: commandLine.map { [$0] } ?? []) else { return }
      do throws(OptionError) {
        try use(found.values.joined(separator: ","))
      } catch {
        throw OptionError("\(found.origin): \(error)")
      }
    }

    settings.tell = { Console.line($0) }
    settings.makesStore = true
    try last("store", store) { (text) throws(OptionError) in
      settings.store = try Self.directory(text)
      settings.makesStore = false
    }
    try last("public-url", publicURL) { (text) throws(OptionError) in
      settings.publicURL = try Self.prefix(text)
    }
    try last("deadline", deadline) { (text) throws(OptionError) in
      settings.deadline = try TimeSpan.parse(text)
      guard settings.deadline <= Deadline.maximum else {
        throw OptionError("'\(text)' is longer than the 30s that iOS gives: write 30s or less")
      }
    }
    try last("memory", memory) { (text) throws(OptionError) in settings.memory = try ByteCount.parse(text) }
    try last("concurrency", concurrency) { (text) throws(OptionError) in
      settings.concurrency = try Self.number(text, in: 1...1_024)
    }
    var networks: [AddressRange] = []
    try each("allow-network", allowNetwork) { (text) throws(OptionError) in
      networks.append(try Self.network(text))
    }
    settings.fetching.addresses = AddressPolicy(allowing: networks)
    try last("allow-http", allowHTTP.map { "\($0)" }) { (text) throws(OptionError) in
      settings.fetching.allowsHTTP = try Self.truth(text)
    }
    try each("allow-port", allowPort) { (text) throws(OptionError) in
      settings.fetching.allowedPorts.insert(try Self.number(text, in: 1...65_535))
    }
    try each("media-key", mediaKey) { (text) throws(OptionError) in
      settings.mediaKeys.append(try Self.mediaKey(text))
    }
    try last("keys", keys) { settings.keys = .file($0) }
    try last("keys-dir", keysDir) { (text) throws(OptionError) in
      guard settings.keys == nil else {
        throw OptionError("--keys names a file already: give one of the two, --keys or --keys-dir")
      }
      settings.keys = .directory(text)
    }
    try last("ca-file", caFile) { settings.fetching.certificateFile = $0 }
    try last("name-servers", nameServers) { (text) throws(OptionError) in
      settings.fetching.nameServers = try Self.nameServers(text)
    }
    try last("require-all", requireAll.map { "\($0)" }) { (text) throws(OptionError) in
      settings.requiresAll = try Self.truth(text)
    }
    try last("write", write) { (text) throws(OptionError) in
      settings.writing = try Self.writing(text, publicURL: settings.publicURL)
    }
    try last("attachments-key", attachmentsKey) { (text) throws(OptionError) in
      guard !text.isEmpty else { throw OptionError("a name is not empty: write one like attachments") }
      guard text != "aps" else {
        throw OptionError("'\(text)' cannot be the name of what is added: write one like attachments")
      }
      settings.attachmentsKey = text
    }
    try last("limits", limits) { (text) throws(OptionError) in try Self.read(text, into: &settings.limits) }
    try last("cache", cache) { (text) throws(OptionError) in settings.cacheBytes = try Self.cacheSize(text) }
    return settings
  }
}
