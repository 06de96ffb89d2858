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
    #expect(authorities.files == [])
  }

  @Test("a file adds an authority to those of the system")
  func added() async throws {
    try await withTemporaryDirectory { folder in
      // Without a newline at the end, as some editors save it.
      let file = try folder.write(Array(Self.pem.dropLast().utf8), to: "authority.pem")
      let authorities = try CertificateAuthorities(adding: file)
      #expect(authorities.files == [file])
      #expect(authorities.directory != nil)
    }
  }

  @Test("a file also adds to the system's bundle, where certificates are not one by one")
  func bundle() async throws {
    try await withTemporaryDirectory { folder in
      let file = try folder.write(Array(Self.pem.utf8), to: "authority.pem")
      let bundle = try folder.write(Array(Self.pem.utf8), to: "bundle.pem")
      let missing = folder.path(of: "missing")
      for (extra, bundle, files) in [
        (nil, bundle, [bundle]), (file, bundle, [bundle, file]), (file, missing, [file]), (nil, missing, []),
      ] {
        let authorities = try CertificateAuthorities(adding: extra, directory: folder.path, bundle: bundle)
        #expect(authorities.directory == nil)
        #expect(authorities.files == files)
      }
    }
  }

  @Test("a system without any authority says so, and both files are loaded") func loaded() async throws {
    try await withTemporaryDirectory { folder in
      let none = try CertificateAuthorities(adding: nil, directory: folder.path, bundle: nil)
      #expect(throws: FetchError.tlsFailed(detail: "this system has no certificate authorities")) {
        try TrustStore(none)
      }
      let directory = try #require(try CertificateAuthorities(adding: nil).directory)
      let names = Files.names(in: directory).filter { $0.hasSuffix(".0") }.prefix(2)
      try #require(names.count == 2)
      let good = names.map { "\(directory)/\($0)" }
      let bad = try folder.write(Array(Self.pem.utf8), to: "bad.pem")
      for (extra, bundle) in [(good[0], good[1]), (good[0], bad), (bad, good[0])] {
        let authorities = try CertificateAuthorities(adding: extra, directory: nil, bundle: bundle)
        if [extra, bundle].contains(bad) {
          #expect(throws: FetchError.tlsFailed(detail: "\(bad) holds no certificate that can be read")) {
            try TrustStore(authorities)
          }
        } else {
          _ = try TrustStore(authorities)
        }
      }
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
