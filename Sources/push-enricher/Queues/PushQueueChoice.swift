internal import BuiltInQueueing
internal import Enriching
internal import Fetching
internal import PushQueueing
internal import Queueing

/// The push queue that a command uses.
struct PushQueueChoice: CustomStringConvertible {
  private let limits: PushQueueLimits
  private let origin: String
  private let text: String
  private let url: any PushQueueURL
  private let caFile: String?

  /// - Returns: nil if none is named.
  init?(_ options: OptionValues) throws(CommandError) {
    guard let named = options.pushQueue.url else { return nil }
    limits = options.pushQueue.limits
    caFile = options.enrichment.fetching.certificateFile
    (text, origin) = (named.value, named.origin)
    do throws(QueueError) { url = try PushQueueKind.builtIn.url(text) } catch {
      throw CommandError("\(named.origin): \(error)")
    }
  }

  /// The text used in messages, without the password.
  var description: String { "\(origin) \(text.withoutPassword)" }

  /// The warning that a password is on the command line, or nil if there is none.
  var warning: String? {
    guard origin.hasPrefix("--"), text.withoutPassword != text else { return nil }
    return OptionRow.pushQueue.passwordWarning(for: description)
  }

  var needs: QueueNeeds { url.needs }

  /// - Parameter warn: called if other users may read or replace the file.
  func open(warn: (String) -> Void) throws(QueueError) -> any PushQueue {
    try url.open(limits, certificateFile: caFile, warn: warn)
  }

  func failure(_ error: QueueError) -> CommandError { CommandError("\(self): \(error)", .unavailable) }
}
