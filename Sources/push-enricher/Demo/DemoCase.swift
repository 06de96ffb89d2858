internal import Enriching
internal import Notifications

/// One pair of fixtures: a payload, and what should come of it.
///
/// The expected file: `{"outcome":"enriched|unmodified","reason":"…","arguments":["--require-all"],"attachments":[{"identifier":"…",
/// "media":"photo.jpg","type":"public.jpeg","options":{…}}],"aps":{…}}`, the last where that changes. Sizes, digests and URLs follow
/// from the file that `media` names.
struct DemoCase {
  /// Stands in the payloads for the server that their media are on.
  static let placeholder = "https://media.example"
  static let publicURL = "https://cdn.example/"

  let name: String
  /// Options that the case is run with.
  let arguments: [String]
  let payload: [UInt8]
  private let expected: JSONDocument

  /// - Parameters:
  ///   - origin: where the media really are.
  ///   - sender: what makes a payload of the file; nil where that is the payload.
  /// - Throws: `OptionError` that names the file which is missing or no JSON.
  init(
    _ name: String, in folder: DemoFolder, origin: String, sender: (([UInt8]) throws -> [UInt8])? = nil
  ) throws {
    self.name = name
    guard let file = folder.read("\(name).json"), let text = folder.read("\(name).expected.json") else {
      throw OptionError("\(folder.path)/\(name): a case is a pair, \(name).json and \(name).expected.json")
    }
    do throws(JSONError) {
      expected = try JSONDocument(text)
    } catch {
      throw OptionError("\(folder.path)/\(name).expected.json is not JSON: \(error)")
    }
    arguments = expected.root["arguments"].map { $0.elements.compactMap(\.string) } ?? []
    let content = file.replacing(Array(Self.placeholder.utf8), with: Array(origin.utf8))
    payload = try sender.map { try $0(content) } ?? content
  }

  /// What is other than it should be, in words; nil when all is well.
  func difference(from enrichment: Enrichment, media: DemoFolder) -> String? {
    let outcome = enrichment.outcome
    guard outcome.name == expected.root["outcome"]?.string,
      outcome.failure?.reason.rawValue == expected.root["reason"]?.string
    else {
      return
        "it should be \(expected.root["outcome"]?.string ?? "?") \(expected.root["reason"]?.string ?? "")"
    }
    guard outcome.failure == nil else {
      return outcome.bytes == payload ? nil : "the payload was changed"
    }
    let wanted = attachments(in: expected.root["attachments"]) { medium in
      medium["media"]?.string.flatMap { media.read($0)?.count }
    }
    let key = arguments.firstIndex(of: "--attachments-key").map { arguments[$0 + 1] } ?? "attachments"
    let result = try? JSONDocument(outcome.bytes)
    let found = attachments(in: result?.root[key]) { $0["size"]?.integer }
    guard found == wanted else { return "attached are \(found), not \(wanted)" }
    guard let aps = expected.root["aps"].map({ CompactJSON($0).text }) else { return nil }
    return result?.root["aps"].map { CompactJSON($0).text } == aps ? nil : "aps is not \(aps)"
  }

  /// Identifier, type and size of each.
  private func attachments(in list: JSONValue?, size: (JSONValue) -> Int?) -> [[String]] {
    guard let list else { return [] }
    return list.elements.map { entry in
      [entry["identifier"]?.string ?? "?", entry["type"]?.string ?? "?", size(entry).map { "\($0)" } ?? "?"]
    }
  }
}
