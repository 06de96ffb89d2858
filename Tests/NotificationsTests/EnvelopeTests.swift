import Notifications
import TestSupport
import Testing

/// A pair of files in Fixtures/envelopes: a message of a service, and what is found in it.
private struct EnvelopeCase: CustomTestStringConvertible {
  static let all: [EnvelopeCase] = {
    let suffix = ".expected.json"
    let names = Files.names(in: folder).filter { $0.hasSuffix(suffix) }
    return names.compactMap { try? EnvelopeCase(String($0.dropLast(suffix.count))) }
  }()

  static let folder = Fixtures.envelopes

  let testDescription: String
  let bytes: [UInt8]
  let expected: JSONValue

  private init(_ name: String) throws {
    testDescription = name
    bytes = try Files.read("\(Self.folder)/\(name).json")
    expected = try JSONDocument(Files.read("\(Self.folder)/\(name).expected.json")).root
  }

  var message: PushMessage {
    get throws {
      let arguments = expected["arguments"]?.elements.compactMap(\.string) ?? []
      let keys = try zip(arguments, arguments.dropFirst()).filter { $0.0 == "--payload-at" }.map {
        try MediaKey($1)
      }
      return try PushMessage(bytes, keys.isEmpty ? .automatic : .places(keys))
    }
  }
}

@Suite("Messages of services, as their own SDKs write them")
struct EnvelopeTests {
  @Test("have at least five cases for each envelope") func complete() throws {
    let files = Fixtures.files(in: EnvelopeCase.folder, ending: ".json")
    #expect(files.count == 2 * EnvelopeCase.all.count)
    for name in EnvelopeChoice.names + ["wrapped"] {
      #expect(EnvelopeCase.all.filter { $0.expected["envelope"]?.string == name }.count >= 5, "\(name)")
    }
  }

  @Test("have payloads at these places", arguments: EnvelopeCase.all)
  fileprivate func places(fixture: EnvelopeCase) throws {
    let message = try fixture.message
    #expect(message.problem == nil)
    #expect(message.envelope == fixture.expected["envelope"]?.string)
    let places = fixture.expected["payloads"]?.elements.map { $0["at"]?.string } ?? []
    #expect(message.payloads.map(\.path) == places)
  }

  @Test("have payloads that name these media, or may not be modified", arguments: EnvelopeCase.all)
  fileprivate func media(fixture: EnvelopeCase) throws {
    let places = fixture.expected["payloads"].map { Array($0.elements) } ?? []
    for (payload, place) in zip(try fixture.message.payloads, places) {
      let ineligibility = payload.ineligibility(pushType: payload.pushType)
      let media = payload.mediaReferences().map { $0.url.split(separator: "/").last.map(String.init) }
      switch place["reason"]?.string ?? fixture.expected["reason"]?.string {
      case nil:
        #expect(ineligibility == nil)
        let names = place["attachments"]?.elements.map { $0["media"]?.string } ?? []
        #expect(media.filter { $0 != "missing.jpg" } == names)
      case "no-media": #expect(ineligibility == nil && media.isEmpty)
      case "not-mutable": #expect(ineligibility == .notMutable || ineligibility == .background)
      case "invalid-payload": #expect(payload.problem?.isNothing == false)
      case "no-alert": #expect(ineligibility == .noAlert)
      default: #expect(ineligibility == nil)
      }
    }
  }
}
