internal import ArgumentParser
internal import Enriching
internal import Notifications

struct SealContentCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "content",
    abstract: "Encrypts content into a payload, which goes to stdout.",
    discussion: """
      The content is a JSON object: fields of the alert (title, subtitle, body, …), sound, badge, thread-id, category, \
      interruption-level, relevance-score, and media, a list of what `seal media` prints.
      """)

  @Argument(help: ArgumentHelp("File of the content; stdin without it.", valueName: "file"))
  var file = "-"
  @Option(help: ArgumentHelp("Name of the key. Its record says in which format.", valueName: "name"))
  var kid: String
  @Option(
    help: ArgumentHelp(
      "Shape in the payload: enc, encrypted-data, metatext or toot-relay. (default: the usual one of the format)",
      valueName: "shape"))
  var shape: ContentShape?
  @Option(
    help: ArgumentHelp(
      "File of the payload to put it into. (default: one whose alert says \"(Encrypted)\")", valueName: "file"
    ))
  var into: String?
  @OptionGroup var keys: SealingKeys

  func run() async throws {
    let content = try InputFile(file).readWhole(maximum: Payload.maximumLength)
    let outer =
      try into.map { (file) throws(CommandError) in
        try InputFile(file).readWhole(maximum: Payload.maximumLength)
      } ?? Array(Self.outer.utf8)
    let payload: Payload
    do throws(PayloadError) {
      payload = try Payload(outer)
    } catch {
      throw CommandError("\(into ?? "") is no payload: \(error)", .badInput)
    }
    let sealed = try keys.sealer().seal(content: content, keyID: kid, as: shape, into: payload)
    Console.output(String(decoding: sealed, as: UTF8.self))
  }

  private static let outer =
    #"{"aps":{"alert":{"title":"New message","body":"(Encrypted)"},"mutable-content":1}}"#
}

extension ContentShape: ExpressibleByArgument {}
