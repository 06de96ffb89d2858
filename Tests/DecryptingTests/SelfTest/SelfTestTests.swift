import Testing

@testable import Decrypting

@Suite("SelfTest")
struct SelfTestTests {
  @Test("passes with the installed library") func run() throws { try SelfTest.run() }

  @Test("every cipher has a known answer") func complete() {
    #expect(KnownAnswer.all.map(\.cipher.description) == Cipher.all.map(\.description))
  }

  @Test("fails for any other answer", arguments: KnownAnswer.all.indices) func others(index: Int) throws {
    let answer = KnownAnswer.all[index]
    #expect(try answer.holds())
    // Changes each digit, so that the comparison skips none.
    for place in answer.ciphertext.indices {
      let digit = answer.ciphertext[place] == "0" ? "1" : "0"
      let other = KnownAnswer(
        cipher: answer.cipher, key: answer.key, iv: answer.iv, plaintext: answer.plaintext,
        additionalData: answer.additionalData,
        ciphertext: answer.ciphertext.replacingCharacter(at: place, with: digit))
      #expect(try !other.holds(), "\(place)")
    }
  }
}

extension String {
  fileprivate func replacingCharacter(at place: Index, with text: String) -> String {
    self[..<place] + text + self[index(after: place)...]
  }
}
