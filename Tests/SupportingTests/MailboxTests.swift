import Dispatch
import Glibc
import Supporting
import Testing

@Suite("A mailbox")
struct MailboxTests {
  /// Whether a loop would be woken now.
  private static func isReadable(_ mailbox: Mailbox<Int, Int>) -> Bool {
    var interest = pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&interest, 1, 0) == 1
  }

  @Test("wakes its loop for messages and for its end, and for nothing else") func wakes() throws {
    let mailbox = try Mailbox<Int, Int>()
    #expect(!Self.isReadable(mailbox))
    for round in 0..<3 {
      #expect(mailbox.send(round) == nil)
      #expect(mailbox.send(-round) == nil)
      #expect(Self.isReadable(mailbox))
      let (messages, isClosed) = mailbox.take()
      #expect(messages == [round, -round])
      #expect(!isClosed)
      #expect(!Self.isReadable(mailbox))
      #expect(mailbox.take().messages == [])
    }
    mailbox.close(7)
    #expect(Self.isReadable(mailbox))
    #expect(mailbox.send(8) == 7)
    let (messages, isClosed) = mailbox.take()
    #expect(messages == [])
    #expect(isClosed)
  }

  @Test("loses no message of several senders, and no wake") func senders() throws {
    let mailbox = try Mailbox<Int, Int>()
    let total = 20_000
    let senders = DispatchGroup()
    for sender in 0..<4 {
      DispatchQueue(label: "sender").async(group: senders) {
        for number in 0..<total / 4 { mailbox.send(number * 4 + sender) }
      }
    }
    var taken: [Int] = []
    while taken.count < total {
      var interest = pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0)
      try #require(unsafe poll(&interest, 1, 30_000) == 1)
      taken += mailbox.take().messages
    }
    #expect(taken.sorted() == Array(0..<total))
    // The last sender may still be waking the loop.
    senders.wait()
    #expect(mailbox.take().messages == [])
    #expect(!Self.isReadable(mailbox))
  }
}
