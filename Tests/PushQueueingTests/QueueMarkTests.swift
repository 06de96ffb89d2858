import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PushQueueing

struct QueueMarkTests {
  private let position = QueuePosition(
    device: AppDevice(app: "com.example.app", device: "6F1C7B0E-0000-4000-8000-000000000001"),
    epoch: 9_999_999_999, position: 9_999_999_999)

  private func keys(_ lines: String) throws -> TicketKeys {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("ticket-key-\(UUID())")
    try Data(lines.utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    defer { try? FileManager.default.removeItem(at: file) }
    return try TicketKeys(path: file.path)
  }

  @Test("the mark goes to the end of the payload, and takes no more than is left free for it")
  func mark() throws {
    let keys = try keys(String(repeating: "0b", count: 20))
    let body = Array("{\"aps\":{\"alert\":\"x\"} }\n".utf8)
    let mark = QueueMark(position, keys: keys, isRepeat: true)
    let marked = try #require(mark.insert(into: body))
    #expect(
      String(decoding: marked, as: UTF8.self)
        == #"{"aps":{"alert":"x"} ,"q":{"p":9999999999,"e":9999999999,"d":"\#(position.device.hash)","t":"\#(mark.ticket)","r":1}}"#
        + "\n")
    #expect(position.device.hash.utf8.count == 11)
    #expect(mark.ticket.utf8.count == 22)
    #expect(marked.count - body.count <= QueueMark.maximumSize)
    #expect(position.collapseID.utf8.count == 24)
  }

  @Test("tickets of both keys are valid, and no others")
  func rotation() throws {
    let (old, new) = (String(repeating: "1a", count: 32), String(repeating: "2b", count: 16))
    let ticket = try keys(old).ticket(for: position)
    let next = QueuePosition(device: position.device, epoch: position.epoch, position: 1)
    #expect(try keys("\(new)\n\(old)\n").isValid(ticket, for: position))
    #expect(try !keys(new).isValid(ticket, for: position))
    #expect(try !keys(old).isValid(ticket, for: next))
    #expect(try !keys(old).isValid("", for: position))
    // A ticket is wrong if any of its characters is wrong, not only one of the last.
    let valid = try keys(old)
    for index in ticket.indices {
      for character in "ABgw-_19" where character != ticket[index] {
        let forged = ticket.replacingCharacters(in: index...index, with: "\(character)")
        #expect(!valid.isValid(forged, for: position))
      }
    }
  }

  @Test(
    "a file that is no key is refused",
    arguments: [
      "", "0b0b", "xyz", String(repeating: "0b", count: 65), "1\n2\n3",
      String(repeating: "0b", count: 20) + "\nshort",
    ])
  func wrong(_ lines: String) { #expect(throws: (any Error).self) { try keys(lines) } }

  @Test("a changed file is read within a second or two, and one that cannot be used is reported once")
  func changed() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "key")
      try Files.write(Array(String(repeating: "1a", count: 32).utf8), to: path, mode: 0o600)
      let keys = try TicketKeys(path: path)
      let told = Mutex([String]())
      keys.warn(with: { text in told.withLock { $0.append(text) } })
      let old = keys.ticket(for: position)
      try Files.write(Array("1a".utf8), to: path, mode: 0o600)
      #expect(await eventually { keys.ticket(for: position) == old && told.withLock { $0.count } == 1 })
      try Files.write(Array(String(repeating: "2b", count: 32).utf8), to: path, mode: 0o600)
      #expect(await eventually { keys.ticket(for: position) != old })
      #expect(told.withLock { $0.count } == 1)
    }
  }
}
