internal import Notifications
internal import Synchronization

/// What has happened to one message so far. Can be read at any time.
package final class EnrichmentProgress: Sendable {
  private let state = Mutex<(media: [MediaProgress], failures: [PayloadFailure])>(([], []))
  private let category = Mutex<CategoryReport?>(nil)
  private let appliedTexts = Mutex<AppliedTexts?>(nil)
  private let recordsPaths: Bool

  /// - Parameter recordsPaths: whether hops have paths as well as hosts, and reports say where
  ///   files are named. With many payloads at once, redirects to long URLs add up to megabytes.
  package init(recordsPaths: Bool = true) { self.recordsPaths = recordsPaths }

  var all: [MediaProgress] { state.withLock { $0.media } }
  /// Leaves out media that only stand in for others, unless one of those has failed.
  package var media: [MediaReport] {
    let all = all
    if all.count == 1 { return [all[0].report] }
    return all.filter { $0.request.reference.spareFor == nil || $0.isNeeded(among: all) }.map(\.report)
  }
  /// Why some payloads of the message stay unmodified.
  var failures: [PayloadFailure] { state.withLock { $0.failures } }

  /// Adds the media of a payload and returns them. Payloads of a message share the media that have the same URL.
  /// - Parameter maximum: for the whole message.
  func add(_ requests: [MediaRequest], atMost maximum: Int) throws(Failure) -> [MediaProgress] {
    try state.withLock { (state) throws(Failure) in
      let known = state.media
      let media = requests.map { request in
        known.first { $0.request.isSame(as: request) } ?? MediaProgress(request, recordsPaths: recordsPaths)
      }
      let all = known.isEmpty ? media : known + media.filter { one in !known.contains { $0 === one } }
      guard all.count <= maximum else {
        throw Failure(
          .payloadTooLarge, "its message names more than \(maximum) media, the most that are fetched for one")
      }
      state.media = all
      return media
    }
  }

  /// Calls `body` for each of the payloads of a message.
  /// - Returns: the results of the calls that did not throw.
  /// - Throws: if all calls threw, the first failure or, if each payload only asks for nothing, the first error.
  ///   If all payloads are required, the first failure.
  func each<Input: MessagePart, Output>(
    _ payloads: [Input], requiresAll: Bool, _ body: (Input) throws(Failure) -> Output
  ) throws(Failure) -> [Output] {
    // Most messages are one payload.
    if payloads.count == 1 { return [try body(payloads[0])] }
    var results: [Output] = []
    var first: Failure?
    for payload in payloads {
      do throws(Failure) {
        results.append(try body(payload))
      } catch {
        if requiresAll, error.reason.isFailure { throw error }
        if first.map({ !$0.reason.isFailure && error.reason.isFailure }) ?? true { first = error }
        state.withLock { $0.failures.append(PayloadFailure(path: payload.path, failure: error)) }
      }
    }
    if results.isEmpty, let first { throw first }
    return results
  }

  /// The texts of the first payload that got any.
  var texts: AppliedTexts? { appliedTexts.withLock { $0 } }

  func record(_ report: CategoryReport) {
    category.withLock { if $0?.add(report) == nil { $0 = report } }
  }

  /// What became of the actions of the category, and what iOS would drop from the payloads' own actions.
  func categoryReport(of message: PushMessage) -> CategoryReport? {
    var report = category.withLock { $0 }
    guard recordsPaths else { return report }
    let findings = message.payloads.flatMap(\.actionFindings)
    if !findings.isEmpty { report = report ?? CategoryReport() }
    report?.note(findings)
    return report
  }

  func record(_ written: WrittenMessage) {
    guard recordsPaths else { return }
    appliedTexts.withLock { $0 = written.payloads.lazy.compactMap(\.texts).first }
    for progress in all {
      progress.recordPaths(written.payloads.flatMap { $0.paths(of: progress.request) })
    }
  }

  /// Why the payload is not finished at its deadline. Names media by number, because this goes into
  /// logs, and identifiers may be private to the recipient.
  /// - Parameters:
  ///   - storeHangs: whether the store hangs. Everything waits for it then, even the transfer loop.
  ///   - patience: how long a medium may wait for the store before the store counts as failed.
  func lateness(storeHangs: Bool, patience: Duration) -> Failure {
    let media = media
    let unfinished = media.indices.filter { media[$0].stored == nil && media[$0].failure == nil }
    let clauses = unfinished.map { index in
      let name = media.count == 1 ? "the medium" : "medium \(index + 1) of \(media.count)"
      return "\(name) was waiting for \(storeHangs ? MediaReport.store : media[index].waitingFor)"
    }
    let isStoreOutage = unfinished.contains { index in
      storeHangs || media[index].storingStart.map { .now - $0 >= patience } ?? false
    }
    return Failure(
      .deadlineExceeded, clauses.isEmpty ? "there was no time left" : clauses.joined(separator: ", "),
      advice: unfinished.first.map { media[$0].adviceOnDelay(storeHangs: storeHangs) },
      isStoreOutage: isStoreOutage)
  }
}

/// Why a payload stays unmodified although others of its message may be enriched.
package struct PayloadFailure: Sendable {
  /// Spelled as a `MediaKey`.
  package let path: String
  package let failure: Failure
}

/// A payload of a message, in one of the steps.
protocol MessagePart {
  var path: String { get }
}

extension Payload: MessagePart {}
