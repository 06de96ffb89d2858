@testable import Fetching
import TestSupport
import Testing

@Suite("CertificateAuthorities")
struct CertificateAuthoritiesTests {
  private static let pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"

  @Test("the authorities of the system are loaded one by one, as connections need them")
  func system() throws {
    let authorities = try CertificateAuthorities(adding: nil)
    let directory = try #require(authorities.directory)
    #expect(Files.names(in: directory).contains { $0.hasSuffix(".0") })
    #expect(authorities.file == nil)
  }

  @Test("a file adds an authority to those of the system")
  func added() async throws {
    try await withTemporaryDirectory { folder in
      // Without a newline at the end, as some editors save it.
      let file = try folder.write(Array(Self.pem.dropLast().utf8), to: "authority.pem")
      let authorities = try CertificateAuthorities(adding: file)
      #expect(authorities.file == file)
      #expect(authorities.directory != nil)
    }
  }

  @Test("an error about a file that is missing or invalid names the file")
  func errors() async throws {
    try await withTemporaryDirectory { folder in
      let missing = folder.path(of: "missing.pem")
      let text = try folder.write(Array("-----BEGIN PRIVATE KEY-----\n".utf8), to: "key.pem")
      let empty = try folder.write([], to: "empty.pem")
      #expect(throws: FetchError.tlsFailed(detail: "\(missing): No such file or directory")) {
        try CertificateAuthorities(adding: missing)
      }
      for path in [text, empty, folder.path] {
        #expect(throws: FetchError.tlsFailed(detail: "\(path) holds no certificate in PEM form")) {
          try CertificateAuthorities(adding: path)
        }
      }
      // A fetcher reports the error before anything is fetched.
      var settings = FetchSettings()
      settings.certificateFile = missing
      #expect(throws: FetchError.tlsFailed(detail: "\(missing): No such file or directory")) {
        try Fetcher(settings: settings)
      }
    }
  }
}
