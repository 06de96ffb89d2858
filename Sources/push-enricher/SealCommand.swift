internal import ArgumentParser
internal import Enriching
internal import Glibc
internal import Notifications
internal import Supporting

struct SealCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seal",
    abstract: "Makes encrypted payloads and media, to test a pipeline with.",
    discussion:
      #"Encrypt the media first: each gives an entry. Then encrypt the content, with the entries in its "media"."#,
    subcommands: [Content.self, Media.self])

  struct Keys: ParsableArguments {
    @Option(help: .value("file", "JSON file of keys, the same as for enrich.")) var keys: String?

    func sealer() throws(SealingError) -> Sealer { try Sealer(keys: keys.map { .file($0) }) }
  }

  struct Content: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Encrypts content into a payload, and prints the payload.",
      discussion: """
        The content is a JSON object: fields of the alert (title, subtitle, body, …), sound, badge, thread-id, category, \
        interruption-level, relevance-score, and media, a list of what `seal media` prints.
        """)

    @Argument(help: .value("file", "File with the content, or - for stdin.")) var file = "-"
    @Option(help: .value("name", "Name of the key. Its record in the key file says which format to use."))
    var kid: String
    @Option(
      help: .value(
        "shape",
        "Shape in the payload: enc, encrypted-data, metatext, toot-relay or bark. (default: the usual one for the format)"
      ))
    var shape: ContentShape?
    @Option(
      help: .value(
        "file", "File with the payload to put it into. (default: a payload whose alert says \"(Encrypted)\")")
    )
    var into: String?
    @OptionGroup var keys: Keys

    func run() async throws {
      let content = try InputFile(path: file).readWhole(maximum: Payload.maximumLength)
      let outer =
        try into.map { try InputFile(path: $0).readWhole(maximum: Payload.maximumLength) }
        ?? Array(Self.outer.utf8)
      let payload: Payload
      do throws(PayloadError) { payload = try Payload(outer) } catch {
        throw CommandError("\(into ?? "") is not a payload: \(error)", .badInput)
      }
      let sealed = try keys.sealer().seal(content: content, keyID: kid, as: shape, into: payload)
      Console.output(String(decoding: sealed, as: UTF8.self))
    }

    private static let outer =
      #"{"aps":{"alert":{"title":"New message","body":"(Encrypted)"},"mutable-content":1}}"#
  }

  struct Media: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Encrypts a file, and prints its entry for the content, which has the key in it.")

    @Argument(help: .value("file", "File to encrypt.")) var file: String
    @Option(help: .value("format", "aes128gcm, matrix, aesgcm or signal."))
    var format = MediaEncryptionFormat.aes128gcm
    @Option(help: .value("url", "Where the encrypted file will be: https://…")) var url: String
    @Option(help: .value("file", "File to write the encrypted media to.")) var output: String
    @Option(
      help: .value(
        "name",
        "Name of a key in --keys, of the format aes128gcm. (default: a new key, which is in the entry)"))
    var kid: String?
    @OptionGroup var keys: Keys

    func run() async throws {
      let media = try InputFile(path: file).readWhole(maximum: 1_000_000_000)
      let sealed = try keys.sealer().seal(media: media, as: format, url: url, keyID: kid)
      try write(sealed.file)
      Console.output(String(decoding: sealed.entry, as: UTF8.self))
    }

    /// Does not use `O_TRUNC`: the file is emptied only after a check that it is not the input.
    private func write(_ bytes: [UInt8]) throws(CommandError) {
      try InputFile.refuseStandardOutput(output, "--output", for: "the entry")
      // Readable by everyone: it is encrypted, and a web server is to serve it.
      let descriptor = unsafe open(output, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
      guard descriptor >= 0 else { throw CommandError(Console.failure(of: output), .outputFailed) }
      if InputFile(path: file).isOverwritten(by: descriptor) {
        throw CommandError("--output \(output): this is the file to encrypt: name another")
      }
      ftruncate(descriptor, 0)
      guard FileBytes.write(bytes, to: descriptor) else {
        throw CommandError(Console.failure(of: output), .outputFailed)
      }
    }
  }
}

extension ContentShape: ExpressibleByArgument {}
extension MediaEncryptionFormat: ExpressibleByArgument {}
