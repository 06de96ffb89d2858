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

  func run() async {
    let content = keys.read(file, maximum: Payload.maximumLength)
    let outer = into.map { keys.read($0, maximum: Payload.maximumLength) } ?? Array(Self.outer.utf8)
    let payload: Payload
    do throws(PayloadError) {
      payload = try Payload(outer)
    } catch {
      ExitStatus.badInput.end("\(into ?? "") is no payload: \(error)")
    }
    let sealer = keys.sealer()
    let sealed = keys.orExit { () throws(SealingError) in
      try sealer.seal(content: content, keyID: kid, as: shape, into: payload)
    }
    Console.output(String(decoding: sealed, as: UTF8.self))
    ExitStatus.done.end()
  }

  private static let outer =
    #"{"aps":{"alert":{"title":"New message","body":"(Encrypted)"},"mutable-content":1}}"#
}

extension ContentShape: ExpressibleByArgument {}
