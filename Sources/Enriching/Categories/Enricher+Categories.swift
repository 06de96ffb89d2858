internal import Notifications

/// The work that a file of categories adds to the steps.
extension Enricher {
  func addition(
    to payload: Payload, with content: UnsealedContent, from categories: Categories?,
    recording progress: EnrichmentProgress
  ) -> CategoryAddition? {
    guard let categories else { return nil }
    switch payload.match(in: categories, naming: content.category) {
    case .addition(let addition): return addition
    case .nothing(let note): progress.record(CategoryReport(notes: [note]))
    case .none: break
    }
    return nil
  }

  /// Stores the actions that do not fit into their payloads.
  @inline(never)  // see `TaskPool`
  func storeActions(of payloads: [OpenedPayload]) async throws(Failure) {
    for opened in payloads {
      guard let addition = opened.addition,
        let attachments = try? attachments(of: opened),
        !fits(attachments, addition.edits(after: opened.content.edits), opened)
      else { continue }
      opened.actionsURL = try await ActionsFile(addition.file, in: services.store.get()).store()
    }
  }

  private func fits(_ attachments: [Attachment], _ edits: [JSONEdit], _ opened: OpenedPayload) -> Bool {
    guard let written = try? write(attachments, into: opened, edits) else { return true }
    return fits(written, opened)
  }

  /// Leaves out the facts about the media if there is no room for them.
  private func write(
    _ attachments: [Attachment], into opened: OpenedPayload, _ edits: [JSONEdit]
  ) throws(RewritingError) -> WrittenPayload {
    var content = opened.content
    content.edits = edits
    let written = try settings.writer.write(attachments, into: opened.payload, with: content)
    if fits(written, opened) { return written }
    // The app can do without the sizes of the media more easily than without the media.
    return try settings.writer.write(attachments.map(\.withoutFacts), into: opened.payload, with: content)
  }

  private func fits(_ written: WrittenPayload, _ opened: OpenedPayload) -> Bool {
    (try? opened.payload.check(written.edits, maximumSize: opened.maximumSize)) != nil
  }

  /// Writes the actions of the payload's category beside the attachments, or the URL of the file that has
  /// them. If that does not fit either, leaves them out.
  func write(
    _ attachments: [Attachment], into opened: OpenedPayload, recording progress: EnrichmentProgress
  ) throws(RewritingError) -> WrittenPayload {
    let edits = opened.content.edits
    guard let addition = opened.addition else { return try write(attachments, into: opened, edits) }
    let url = opened.actionsURL
    let additional = addition.edits(after: edits, linking: url)
    let isOnlyAddition = opened.media.isEmpty && !opened.content.wasEncrypted
    guard url == nil || isOnlyAddition || fits(attachments, additional, opened) else {
      progress.record(
        CategoryReport(notes: ["there is no room for actions_url: the actions are left out"]))
      return try write(attachments, into: opened, edits)
    }
    progress.record(CategoryReport(addition, linked: url))
    return try write(attachments, into: opened, additional)
  }
}
