package import Notifications
internal import Supporting

/// What happened to the actions of a payload's category.
package struct CategoryReport: Equatable, Sendable {
  /// The identifier in the result; nil if nothing was added.
  package var identifier: String?
  package var count = 0
  /// The file that has the actions; nil if the payload has them.
  package var url: String?
  /// Why nothing was added, as a sentence; nil if there is no category, or something was added.
  package var refusal: String?
  /// Remarks for the author of the category or of the payload's own actions, one sentence each.
  package var notes: [String] = []

  /// The most notes about one message. It may have a hundred payloads.
  private static let maximumNotes = 12

  init(refusal: String? = nil) { self.refusal = refusal }

  init(_ addition: CategoryAddition, linked url: String? = nil) {
    identifier = addition.identifier
    count = addition.count
    self.url = url
    notes = addition.notes
  }

  mutating func note(_ more: [String]) {
    for note in more where notes.count < Self.maximumNotes && !notes.contains(note) { notes.append(note) }
  }

  /// Adds what happened to the category of another payload of the message.
  mutating func add(_ other: CategoryReport) {
    if other.identifier != nil { (identifier, count, url) = (other.identifier, other.count, other.url) }
    refusal = refusal ?? other.refusal
    note(other.notes)
  }
}

extension CategoryReport: JSONWritable {
  package func write(to writer: inout JSONWriter) {
    writer.object {
      $0.member("identifier", identifier?.printable)
      $0.member("actions", identifier == nil ? nil : count)
      $0.member("url", url)
      $0.member("detail", refusal?.printable)
      $0.name("notes")
      $0.array { for note in notes { $0.write(note.printable) } }
    }
  }
}
