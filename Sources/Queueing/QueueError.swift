/// Why a queue operation failed.
package enum QueueError: Error, Equatable, CustomStringConvertible {
  /// The URL does not name a queue. `right` is a similar URL that does.
  case urlInvalid(String, URLFault, right: String)
  /// The broker cannot be reached, or cannot do it now. Trying again may help.
  case unavailable(String)
  /// The broker refuses and would do so again, as for a wrong password or a missing queue.
  case refused(String)
  /// The message has been handed out to another process, or its queue no longer knows it.
  case leaseLost(id: String)

  package var description: String {
    switch self {
    case .urlInvalid(let url, let fault, let right):
      "'\(url)' is not a \(Self.isOfQueue(url) ? "queue" : "valid URL"): \(fault); write one like \(right)"
    case .unavailable(let detail), .refused(let detail): detail
    case .leaseLost(let id):
      "message \(id) is not on lease here any more: others have taken it over, or emptied its queue"
    }
  }

  /// APNs and a door are named like queues, but are none.
  private static func isOfQueue(_ url: String) -> Bool {
    let scheme = url.prefix { $0 != ":" }.lowercased()
    return scheme != "apns" && scheme != "http"
  }
}

/// What is wrong with the URL of a queue, for use in a message.
package struct URLFault: Error, Equatable, CustomStringConvertible {
  /// The broken rule: `its port is a number from 1 to 65535`. Contains no part of the URL.
  package let rule: String
  /// What the URL has instead. Nil if it may be a password, or if the rule says it all.
  package let found: String?
  /// A corrected URL without its password. Nil for a general example.
  package let right: String?

  /// - Parameter found: part of the text of the URL.
  package init(_ rule: String, _ found: Substring = "", right: String? = nil) {
    let place = found.startIndex..<found.endIndex
    let isShown = !found.isEmpty && !found.base.secrets.contains { $0.overlaps(place) }
    self.rule = rule
    self.found = isShown ? String(found) : nil
    self.right = right?.withoutPassword
  }

  package var description: String { found.map { "\(rule), not '\($0)'" } ?? rule }
}
