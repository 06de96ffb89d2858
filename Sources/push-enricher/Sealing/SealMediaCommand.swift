internal import ArgumentParser
internal import Enriching
internal import Glibc
internal import Supporting

struct SealMediaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "media",
    abstract: "Encrypts a file; its entry for the content, key and all, goes to stdout.")

  @Argument(help: ArgumentHelp("File to encrypt.", valueName: "file"))
  var file: String
  @Option(help: ArgumentHelp("aes128gcm, matrix, aesgcm or signal.", valueName: "format"))
  var format = MediaEncryptionFormat.aes128gcm
  @Option(help: ArgumentHelp("Where the encrypted file will be: https://…", valueName: "url"))
  var url: String
  @Option(help: ArgumentHelp("File to write the encrypted one into.", valueName: "file"))
  var output: String
  @Option(
    help: ArgumentHelp(
      "Name of a key of --keys, of the format aes128gcm. (default: a new key, which stands in the entry)",
      valueName: "name"))
  var kid: String?
  @OptionGroup var keys: SealingKeys

  func run() async throws {
    let media = try InputFile(file).readWhole(maximum: 1_000_000_000)
    let sealed = try keys.sealer().seal(media: media, as: format, url: url, keyID: kid)
    try write(sealed.file)
    Console.output(String(decoding: sealed.entry, as: UTF8.self))
  }

  /// Emptied only when it is known to be another file: not by `O_TRUNC`.
  private func write(_ bytes: [UInt8]) throws(CommandError) {
    try InputFile.refuseStandardOutput(output, "--output", for: "the entry")
    // For all to read: it is encrypted, and goes to a web server.
    let descriptor = unsafe open(output, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw CommandError(Console.failure(of: output), .outputFailed) }
    if InputFile(file).isOverwritten(by: descriptor) {
      throw CommandError("--output \(output): this is the file to encrypt: name another")
    }
    ftruncate(descriptor, 0)
    guard FileBytes.write(bytes, to: descriptor) else {
      throw CommandError(Console.failure(of: output), .outputFailed)
    }
  }
}

extension MediaEncryptionFormat: ExpressibleByArgument {}
