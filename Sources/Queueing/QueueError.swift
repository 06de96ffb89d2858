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
