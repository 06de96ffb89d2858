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
    case .nothing(let refusal): progress.record(CategoryReport(refusal: refusal))
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
        !fits(attachments, opened.content.adding(addition), opened)
      else { continue }
      opened.actionsURL = try await ActionsFile(addition.file, in: services.store.get()).store()
    }
  }

  private func fits(_ attachments: [Attachment], _ content: UnsealedContent, _ opened: OpenedPayload) -> Bool
  {
    guard let written = try? write(attachments, into: opened, content) else { return true }
    return fits(written, opened)
  }

  /// Leaves out the facts about the media if there is no room for them.
  private func write(
    _ attachments: [Attachment], into opened: OpenedPayload, _ content: UnsealedContent
  ) throws(RewritingError) -> WrittenPayload {
    let written = try writer.write(attachments, into: opened.payload, with: content)
    if fits(written, opened) { return written }
    // The app can do without the sizes of the media more easily than without the media.
    return try writer.write(attachments.map(\.withoutFacts), into: opened.payload, with: content)
  }

  private func fits(_ written: WrittenPayload, _ opened: OpenedPayload) -> Bool {
    (try? opened.payload.check(written.edits, maximumSize: opened.maximumSize)) != nil
  }

  /// Writes the actions of the payload's category beside the attachments, or the URL of the file that has
  /// them. If that does not fit either, leaves them out.
  func write(
    _ attachments: [Attachment], into opened: OpenedPayload, recording progress: EnrichmentProgress
  ) throws(RewritingError) -> WrittenPayload {
    guard let addition = opened.addition else { return try write(attachments, into: opened, opened.content) }
    let url = opened.actionsURL
    let content = opened.content.adding(addition, linking: url)
    let isOnlyAddition = opened.media.isEmpty && !opened.content.wasEncrypted
    guard url == nil || isOnlyAddition || fits(attachments, content, opened) else {
      progress.record(CategoryReport(refusal: "there is no room for actions_url: the actions are left out"))
      return try write(attachments, into: opened, opened.content)
    }
    progress.record(CategoryReport(addition, linked: url))
    return try write(attachments, into: opened, content)
  }
}
