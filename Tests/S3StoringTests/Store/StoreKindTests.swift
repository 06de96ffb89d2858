import Glibc
import Storing
import Supporting
import TestSupport
import Testing

@testable import S3Storing

@Suite("The place of a bucket")
struct StoreKindTests {
  private func place(
    _ text: String, spool: String? = nil, _ environment: [String: String] = [:]
  ) throws(StoreError) -> StorePlace {
    try [StoreKind.s3(environment)].place(text, spool: spool)
  }

  @Test("says what it needs, and how devices find its objects") func needs() throws {
    let aws = try place("s3://media/a?region=eu-central-1")
    #expect(aws.publicURL == "https://media.s3.eu-central-1.amazonaws.com/a/")
    #expect(aws.missingURLWarning == nil)
    #expect(aws.connectPorts.contains(443))
    #expect(aws.connectPorts.contains(80))
    let home = try place("s3://media?region=eu-central-1", ["HOME": "/h"])
    #expect(home.files == ["/h/.aws/credentials", "/h/.aws/config"])
    let own = try place("s3://media?region=us-east-1&endpoint=http://127.0.0.1:9000")
    #expect(own.publicURL == nil)
    #expect(
      own.missingURLWarning
        == "results name http://127.0.0.1:9000/media/…, which devices can fetch only if they reach this host and the objects are public: give --public-url"
    )
    #expect(own.connectPorts.contains(9_000))
    // A place that is of no other kind is a directory.
    #expect(try place("/srv/media").spoolDirectory == "/srv/media")
    #expect(throws: StoreError.self) { try place("/srv/media", spool: "/srv/spool") }
    #expect(throws: StoreError.self) { try place("s3://") }
  }

  @Test("has a spool of its own, unless one is named") func spool() throws {
    let text = "s3://media?region=us-east-1"
    #expect(try place(text).spoolDirectory == "/var/tmp/push-enricher-\(geteuid())")
    #expect(try place(text, ["TMPDIR": "/x"]).spoolDirectory == "/x/push-enricher-\(geteuid())")
    #expect(try place(text).makesSpoolDirectory)
    let named = try place(text, spool: "/srv/spool", ["TMPDIR": "/x"])
    #expect(named.spoolDirectory == "/srv/spool")
    #expect(!named.makesSpoolDirectory)
    #expect(
      throws: StoreError.directoryMissing(path: "/nowhere/spool")
    ) { try place(text, spool: "/nowhere/spool").open(StoreSettings()) }
  }

  @Test("does not use a default spool that is not this user's alone") func foreignSpool() async throws {
    try await withTemporaryDirectory { folder in
      let text = "s3://media?region=us-east-1"
      let path = folder.path(of: "push-enricher-\(geteuid())")
      let error = StoreError.other(
        "the spool \(path) is not a directory of this user's alone",
        advice: "remove it, or name another with --spool", extent: .lasting)
      let place = try place(text, ["TMPDIR": folder.path])
      let store = try place.open(StoreSettings())
      // systemd-tmpfiles locks a directory like this before it removes it.
      let directory = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      defer { close(directory) }
      withExtendedLifetime(store) { #expect(flock(directory, LOCK_EX | LOCK_NB) != 0) }
      #expect(folder.names == ["push-enricher-\(geteuid())"])
      _ = try place.open(StoreSettings())
      unsafe chmod(path, 0o777)
      #expect(throws: error) { try place.open(StoreSettings()) }
      unsafe rmdir(path)
      unsafe symlink("/tmp", path)
      #expect(throws: error) { try place.open(StoreSettings()) }
    }
  }

  @Test("says that its default spool cannot be made, and lastingly so") func unmakable() async throws {
    try await withTemporaryDirectory { folder in
      for (parent, code) in [
        (folder.path(of: "none"), ENOENT), (try folder.write([], to: "file"), ENOTDIR),
      ] {
        let place = try place("s3://media?region=us-east-1", ["TMPDIR": parent])
        #expect(
          throws: StoreError.other(
            "the spool \(place.spoolDirectory) cannot be created: \(String(errno: code))",
            advice: "name a directory that this user can write to with --spool", extent: .lasting)
        ) { try place.open(StoreSettings()) }
      }
    }
  }

  @Test("warns of a spool in memory") func inMemory() throws {
    let text = "s3://media?region=us-east-1"
    #expect(
      try place(text, spool: "/dev/shm").warnings == [
        "the spool /dev/shm is in memory (tmpfs), which large media fill: name a directory on a disk with --spool"
      ])
  }

  @Test("prints the lifecycle rule that prunes it") func lifecycle() throws {
    let lifecycle = try #require(try place("s3://media/a?region=us-east-1").lifecycle)
    #expect(lifecycle.leastDays == 14)
    #expect(
      lifecycle.rule(30)
        == #"{"Rules":[{"ID":"push-enricher","Filter":{"Prefix":"a/"},"Status":"Enabled","Expiration":{"Days":30}}]}"#
    )
  }
}
