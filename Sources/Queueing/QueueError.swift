/// Why an operation of a queue failed.
package enum QueueError: Error, Equatable, CustomStringConvertible {
  /// The URL is not a valid name of a queue. `right` is a similar one that is.
  case urlInvalid(String, URLFault, right: String)
  /// The broker cannot be reached, or cannot do it now: worth another try.
  case unavailable(String)
  /// The broker refuses, and would again: a wrong password, a missing queue.
  case refused(String)
  /// The message has been handed out to another process, or its queue does not know it any more.
  case leaseLost(id: String)

  package var description: String {
    switch self {
    case .urlInvalid(let url, let fault, let right): "'\(url)' is no queue: \(fault); write one like \(right)"
    case .unavailable(let detail), .refused(let detail): detail
    case .leaseLost(let id):
      "message \(id) is not on lease here any more: others have taken it over, or emptied its queue"
    }
  }
}

/// What is wrong with the URL of a queue, for a message.
package struct URLFault: Error, Equatable, CustomStringConvertible {
  /// What would be right: `its port is a number from 1 to 65535`. Contains nothing of the URL.
  package let rule: String
  /// What is there instead. Nil if it may be a password, or if the rule says all.
  package let found: String?
  /// A URL like the wrong one that would be right, without its password. Nil for a general example.
  package let right: String?

  /// - Parameter found: a part of the URL's text.
  package init(_ rule: String, _ found: Substring = "", right: String? = nil) {
    let place = found.startIndex..<found.endIndex
    let isShown = !found.isEmpty && !found.base.secrets.contains { $0.overlaps(place) }
    self.rule = rule
    self.found = isShown ? String(found) : nil
    self.right = right?.withoutPassword
  }

  package var description: String { found.map { "\(rule), not '\($0)'" } ?? rule }
}
