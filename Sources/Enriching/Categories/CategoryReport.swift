package import Notifications
internal import Supporting

/// What happened to the actions of a payload's category.
package struct CategoryReport: Equatable, Sendable {
  /// The identifier in the result; nil if nothing was added.
  package var identifier: String?
  package var count = 0
  /// The file that has the actions; nil if the payload has them.
  package var url: String?
  /// Remarks for the author of the category, one sentence each.
  package var notes: [String]

  init(notes: [String]) { self.notes = notes }

  init(_ addition: CategoryAddition, linked url: String? = nil) {
    identifier = addition.identifier
    count = addition.count
    self.url = url
    notes = addition.notes
  }
}

extension CategoryReport: JSONWritable {
  package func write(to writer: inout JSONWriter) {
    writer.object {
      $0.member("identifier", identifier?.printable)
      $0.member("actions", identifier == nil ? nil : count)
      $0.member("url", url)
      $0.name("notes")
      $0.array { for note in notes { $0.write(note.printable) } }
    }
  }
}
