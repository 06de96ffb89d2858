import Decrypting
@testable import Enriching
import Fetching
import Misbehaving
@testable import Notifications
import TestSupport
import Testing

@Suite("Advice to newcomers", .timeLimit(.minutes(5))) struct AdviceTests {
  @Test(
    "opens only an address that somebody may serve media from, alone, and says what that means",
    arguments: [
      ("10.0.0.7", "10.0.0.7/32"), ("172.16.1.1", "172.16.1.1/32"), ("192.168.1.1", "192.168.1.1/32"),
      ("127.0.0.1", "127.0.0.1/32"), ("::1", "::1/128"), ("fd00::1", "fd00::1/128"),
      ("100.64.0.1", nil), ("169.254.169.254", nil), ("fe80::1", nil), ("168.63.129.16", nil),
      ("192.0.0.192", nil), ("224.0.0.1", nil), ("ff02::1", nil), ("255.255.255.255", nil), ("0.0.0.0", nil),
      ("::", nil), ("192.0.2.1", nil), ("198.18.0.1", nil), ("64:ff9b::a00:1", nil), ("2002:a00:1::1", nil),
      ("fec0::1", nil), ("4000::1", nil),
    ])
  func addresses(address: String, network: String?) async throws {
    let host = address.contains(":") ? "[\(address)]" : address
    let failure = try await failure(of: payload(naming: "https://\(host)/a.jpg"))
    #expect(failure.reason == .addressBlocked)
    let advice = failure.advice
    #expect(advice.contains("--allow-network") == (network != nil), "\(advice)")
    if let network { #expect(advice.contains("--allow-network \(network) opens it, but then anyone who ")) }
  }

  @Test(
    "never opens an address that a redirect leads to",
    arguments: ["10.0.0.7", "169.254.169.254", "[fd00::1]", "224.0.0.1", "192.0.2.1"])
  func redirects(host: String) async throws {
    try await withHostileServer { server in
      let url = server.url(.redirect(to: "http://\(host):\(server.port)/a.jpg"))
      try await withTemporaryDirectory { store in
        let settings = try EnrichmentSettings.reaching(server.port, store: store)
        let outcome = try await Enricher(settings: settings).enrich(payload(naming: url)).outcome
        #expect(outcome.failure?.reason == .addressBlocked)
        let advice = outcome.failure?.advice ?? ""
        #expect(advice.contains("keep it closed") && !advice.contains("--allow-network"), "\(advice)")
      }
    }
  }

  @Test(
    "speaks of the target if a redirect leads to what is not fetched",
    arguments: [
      ("ftp://x/y", "scheme-not-allowed", "starts with 'ftp:', which is not fetched"),
      ("data:image/png;base64,AAAA", "url-invalid", "starts with 'data:', which is not fetched"),
      ("http://u:p@HOST/a.jpg", "url-invalid", "cannot be fetched: it carries a user name or password"),
    ])
  func refusedTargets(location: String, reason: String, rest: String) async throws {
    try await withHostileServer { server in
      let location = location.replacing("HOST", with: "127.0.0.1:\(server.port)")
      try await withTemporaryDirectory { store in
        let enricher = try Enricher(settings: .reaching(server.port, store: store))
        // A journal without paths has only the beginning of such a target.
        for recordsPaths in [true, false] {
          let message = try payload(naming: server.url(.redirect(to: location)))
          let outcome = await enricher.enrich(
            message, recording: EnrichmentProgress(recordsPaths: recordsPaths)
          ).outcome
          #expect(outcome.failure?.description == "\(reason): a redirect leads to a URL that \(rest)")
          #expect(
            outcome.failure?.advice
              == "link to the file itself, or have the server redirect to its https URL")
        }
      }
    }
  }

  @Test(
    "says where the picture for iOS belongs if there is one for Android only",
    arguments: [
      (#"{"aps":APS,"big_picture":"URL"}"#, "media.url: big_picture"),
      (#"{"aps":APS,"data":{"largeIcon":"URL"}}"#, "media.url: data.largeIcon"),
      (
        #"{"message":{"token":"t","android":{"notification":{"image":"URL"}},"apns":{"payload":{"aps":APS}}}}"#,
        "message.apns.fcm_options.image: message.android.notification.image"
      ),
      (
        #"{"notifications":[{"tokens":["t"],"message":"x","mutable_content":true,"platform":1,"image":"URL"}]}"#,
        "notifications.0.data.media.url: notifications.0.image"
      ),
      (
        #"{"app_id":"a","contents":{"en":"x"},"big_picture":"URL"}"#, "ios_attachments.media: big_picture"
      ),
      (
        #"{"APNS":"{\"aps\":{\"alert\":\"x\",\"mutable-content\":1}}","GCM":"{\"data\":{\"picture\":\"URL\"}}"}"#,
        "APNS.media.url: GCM.data.picture"
      ),
    ])
  func android(message: String, places: String) async throws {
    let text = message.replacing("APS", with: #"{"alert":"x","mutable-content":1}"#)
      .replacing("URL", with: "https://a.example/b.jpg")
    let failure = try await failure(of: PushMessage(Array(text.utf8)))
    #expect(failure.reason == .noMedia)
    #expect(failure.advice == "put the URL for iOS at \(places) is a picture for Android only")
  }

  @Test(
    "says where the URL belongs if it is in an envelope at a place that is not read",
    arguments: [
      (
        #"{"message":{"token":"t","notification":{"title":"a","image_url":"URL"},"apns":{"payload":{"aps":APS}}}}"#,
        "message.apns.fcm_options.image: message.notification.image_url"
      ),
      (
        #"{"message":{"token":"t","fcm_options":{"image":"URL"},"apns":{"payload":{"aps":APS}}}}"#,
        "message.apns.fcm_options.image: message.fcm_options.image"
      ),
      (
        #"{"app_id":"a","contents":{"en":"x"},"url":"https://a.example/","picture":"URL"}"#,
        "ios_attachments.media: picture"
      ),
      (
        #"[{"to":"t","title":"a","mutableContent":true,"richContent":{"imageUrl":"URL"}}]"#,
        "0.richContent.image: 0.richContent.imageUrl"
      ),
    ])
  func unread(message: String, places: String) async throws {
    let text = message.replacing("APS", with: #"{"alert":"x","mutable-content":1}"#)
      .replacing("URL", with: "https://a.example/b.jpg")
    let failure = try await failure(of: PushMessage(Array(text.utf8)))
    #expect(failure.reason == .noMedia)
    #expect(failure.advice == "put the URL for iOS at \(places) is not read for iOS")
  }

  @Test(
    "names a text that stands where a URL belongs",
    arguments: [
      (#""image":"/uploads/p.jpg""#, "image", "--base-url completes relative ones"),
      (#""rich-media":"","image":"{{image_url}}""#, "image", "the template did not replace it"),
      (#""data":{"picture":"null"}"#, "data.picture", "send an absolute URL"),
      (
        #""carousel_elements":[{"image_url":"www.a.example/b.jpg"}]"#, "carousel_elements.0.image_url",
        "absolute"
      ),
    ])
  func noURL(member: String, place: String, part: String) async throws {
    let text = #"{"aps":{"alert":"x","mutable-content":1},\#(member)}"#
    let failure = try await failure(of: PushMessage(Array(text.utf8)))
    #expect(failure.reason == .noMedia)
    #expect(failure.detail == "no media URL was found in it: the text at \(place) is not one")
    #expect(failure.advice.contains(part), "\(failure.advice)")
  }

  @Test(
    "does not advise --base-url to somebody who gives it, but says what it completes",
    arguments: [
      (
        "uploads/photo",
        "send an absolute URL that starts with https://; --base-url completes only texts that start with / or end like a file of media, such as .jpg"
      ),
      ("//127.0.0.1:41234/photo.jpg", "put https: before the two slashes"),
      ("cdn.example:8443/photo.jpg", "put https:// before the host"),
    ])
  func base(text: String, advice: String) async throws {
    let message = try PushMessage(
      Array(#"{"aps":{"alert":"x","mutable-content":1},"image":"\#(text)"}"#.utf8))
    let failure = try await failure(of: message, base: "https://home.example")
    #expect("\(failure)" == "no-media: no media URL was found in it: the text at image is not one")
    #expect(failure.advice == advice)
  }

  @Test(
    "does not repeat a stranger's long name, nor speak of an app's own file",
    arguments: [
      #""att":{"\#(String(repeating: "n", count: 300))":"/a"}"#, #""_mediaUrl":"photo.png""#,
    ])
  func noURLToName(member: String) async throws {
    let text = #"{"aps":{"alert":"x","mutable-content":1},\#(member)}"#
    #expect(try await failure(of: PushMessage(Array(text.utf8))).detail == "no media URL was found in it")
  }

  @Test("names the flag as its owner spells it") func flags() async throws {
    for (message, advice) in [
      (#"{"aps":{"alert":"x"}}"#, #"set "mutable-content": 1 in aps if it is to be enriched"#),
      (
        #"{"message":{"token":"t","apns":{"payload":{"aps":{"alert":"x"}}}}}"#,
        #"set "mutable-content": 1 in message.apns.payload.aps if it is to be enriched"#
      ),
      (#"{"to":"x","title":"y"}"#, "set mutableContent to true if it is to be enriched"),
      (#"{"aps":"{}"}"#, #"send aps as an object with "mutable-content": 1 in it: here it is a string"#),
      (
        #"{"message":{"token":"t","apns":{"payload":{"aps":[]}}}}"#,
        #"send message.apns.payload.aps as an object with "mutable-content": 1 in it: here it is a list"#
      ),
    ] {
      #expect(try await failure(of: PushMessage(Array(message.utf8))).advice == advice)
    }
  }

  @Test(
    "speaks of the host and the port if one of them is wrong",
    arguments: [
      "https://", "https:///", "https://a b.example/c", "https://a.example:x/", "https://a.example:443443/",
      "https://cdn.example:99999/x.jpg", "https://[::1/x.jpg", "https://[127.0.0.1]/", "https://*/",
      "HTTPS://ab--ü.example/", "http://%00.example/",
    ])
  func authority(url: String) {
    let failure = Failure(.urlInvalid(detail: "Bad hostname"), url: url)
    #expect("\(failure)" == "url-invalid: this URL cannot be fetched: Bad hostname")
    #expect(
      failure.advice
        == "correct the host, or the port after it, as in https://cdn.example:443/photo.jpg")
  }

  @Test("speaks of the status that there was", arguments: [(204, "no bytes"), (304, "304 Not Modified")])
  func statuses(status: Int, part: String) {
    let failure =
      status == 204
      ? Failure.unsupported("empty file") : Failure(.httpStatus(status, retryAfter: nil), url: nil)
    #expect(failure.advice.contains(part) && !failure.advice.contains("200"), "\(failure.advice)")
  }

  @Test("has no words of a library about a URL of another scheme")
  func schemes() async throws {
    for (url, scheme) in [("data:image/png;base64,aa", "data"), ("cid:1", "cid"), ("TEL:123", "tel")] {
      let error = FetchError.urlInvalid(detail: "Unsupported number of slashes")
      #expect(Failure(error, url: url).detail == "'\(scheme)' is not fetched")
    }
    let error = FetchError.urlInvalid(detail: "x")
    for url in ["https://u@a/b", "/a", "a b:c", "{{x}}:y"] {
      #expect(Failure(error, url: url).detail == "\(error)")
    }
  }

  @Test(
    "names the kind of file to send instead",
    arguments: [
      ("lossless JPEG image", "baseline or progressive"), ("arithmetic-coded JPEG image", "baseline or"),
      ("JPEG-LS image", "baseline or"), ("QuickTime movie", "-c copy"), ("WebM video", "MP4 with H.264"),
      ("Matroska or WebM media", "MP4 with H.264"), ("Ogg video", "MP4 with H.264"), ("Ogg audio", "MP3"),
      ("Ogg audio or video", "if it has only sound"), ("FLAC audio", "MP3"), ("MIDI music", "MP3"),
      ("Motion JPEG 2000 video", "MP4"), ("JPEG 2000 codestream", "JPEG, PNG or GIF"),
      ("MPEG transport stream", "MP4"), ("TIFF image", "JPEG, PNG or GIF"), ("PDF document", "picture of it"),
      ("ZIP archive", "unpack"), ("MP4 without its whole index", "cut off"),
      ("PNG image without content", "cut"),
      ("JPEG image behind 3 other bytes", "send only the file"),
      ("HTML page titled “Best video”", "link to the file"),
      ("piece of an MPEG program stream", "whole file"),
    ])
  func kinds(name: String, part: String) {
    let advice = Failure.unsupported(name).advice
    #expect(advice.contains(part), "\(advice)")
  }

  @Test("says after the deadline what was slow: the host and the step") func deadlines() async throws {
    try await withHostileServer { server in
      for (behaviour, part) in [
        (Behaviour.silent, "make 127.0.0.1 answer faster: it had the request"),
        (.redirect(to: server.url(.silent)), "make the host that 127.0.0.1 redirects to answer faster"),
      ] {
        try await withTemporaryDirectory { store in
          var settings = try EnrichmentSettings.reaching(server.port, store: store)
          // A busy machine may need seconds until the host has the request.
          settings.deadline = .seconds(8)
          settings.hosts = nil
          let message = try payload(naming: server.url(behaviour))
          let outcome = try await Enricher(settings: settings).enrich(message).outcome
          #expect(outcome.failure?.reason == .deadlineExceeded)
          #expect(outcome.failure?.advice.hasPrefix(part) == true, "\(outcome.failure?.advice ?? "")")
        }
      }
    }
  }

  @Test("says where to look for each step that can be late") func steps() {
    var report = MediaReport(
      MediaRequest(
        MediaReference(url: "https://a.example/b", identifier: "m", typeHint: nil, dialect: "", path: ""),
        KeyRing()))
    var advice: [String] = []
    for phase in [
      FetchJournal.Phase.queued, .awaitingPermit, .resolving, .connecting, .answering, .receiving, .pausing,
      .done,
    ] {
      report.fetch.phase = phase
      advice.append(report.adviceOnDelay(storeHangs: false))
    }
    #expect(Set(advice).count == advice.count)
    #expect(advice.dropFirst().dropLast().allSatisfy { $0.contains("a.example") })
    #expect(report.adviceOnDelay(storeHangs: true) == advice.last)
    // This step includes the TLS handshake.
    #expect(advice[3].hasSuffix("no connection was established, or its TLS handshake did not finish"))
    (report.fetch.phase, report.fetch.received, report.fetch.announced) = (.receiving, 20_000, 5_000_000)
    #expect(report.adviceOnDelay(storeHangs: false).hasSuffix("20,000 bytes of 5 MB had arrived"))
  }

  private func failure(of message: PushMessage, base: String? = nil) async throws -> Failure {
    try await withTemporaryDirectory { store in
      var settings = EnrichmentSettings()
      settings.store = store.path
      settings.baseURL = base
      return try #require(try await Enricher(settings: settings).enrich(message).outcome.failure)
    }
  }
}
