/// Finds the payloads in a message that has no `aps` of its own.
enum EnvelopeFinder {
  struct Found {
    /// The name of the envelope; nil if the payloads are in no known envelope.
    var envelope: String?
    var payloads: [Payload] = []

    /// - Throws: the first problem if every payload has one.
    func checked() throws(EnvelopeError) -> Found {
      if let problem = payloads.first?.problem, payloads.allSatisfy({ $0.problem != nil }) { throw problem }
      return self
    }
  }

  /// The most objects, arrays and texts to look at. A message of 64 KB can have thousands.
  private static let maximumPlaces = 1_000
  /// The most levels to search below the message itself.
  private static let maximumDepth = 2
  /// The longest name of a member to search, in bytes. Each place below it has the name in its path.
  private static let maximumName = 100

  static func find(in root: JSONValue, _ choice: EnvelopeChoice) throws(EnvelopeError) -> Found {
    let top = JSONPath.Place(value: root)
    switch choice {
    case .automatic: return try search(from: top)
    case .none: throw root.kind == .object ? .notBare(seen: names(in: root)) : .nothing(seen: [], aps: nil)
    case .named(let name): return try read(top, as: name)
    case .places(let keys): return try read(keys, from: top)
    }
  }

  private typealias Match = (place: JSONPath.Place, envelope: Envelope?)

  /// Searches level by level. The first level with a payload or an envelope must have only one. An envelope
  /// without its proof counts only if no level has anything else.
  private static func search(from top: JSONPath.Place) throws(EnvelopeError) -> Found {
    var places = [top]
    var doubtful: [Match] = []
    var broken: JSONPath.Place?
    var other: EnvelopeError?
    for level in 0...maximumDepth {
      var matches: [Match] = []
      for place in places { matches += kinds(of: place).map { (place, $0) } }
      if let found = try only(certain(matches)) { return found }
      if doubtful.isEmpty { doubtful = matches }
      // The message itself has no path that an error could name.
      if level > 0 { broken = broken ?? places.first { $0.value.looksLikeBrokenPayload } }
      other = other ?? places.lazy.compactMap(OtherPlatform.message).first
      if level < maximumDepth { places = children(of: places) }
    }
    if let place = doubtful.first?.place, OtherPlatform.isLegacyFCM(place.value) {
      throw .legacyFCM(place: place.path)
    }
    if let found = try only(doubtful) { return found }
    if let broken { throw broken.noObject }
    let nothing = nothing(in: top.value)
    if case .nothing(_, nil) = nothing {
      if let other { throw other }
      if let place = base64Path(in: top, depth: maximumDepth) { throw .base64(place: place) }
    }
    throw nothing
  }

  private static func certain(_ matches: [Match]) -> [Match] {
    matches.filter { $0.envelope?.isProven(in: $0.place) ?? true }
  }

  private static func only(_ matches: [Match]) throws(EnvelopeError) -> Found? {
    guard let match = matches.first else { return nil }
    guard matches.count == 1 else {
      throw .ambiguous(
        matches.prefix(4).map { EnvelopeError.Candidate(envelope: $0.envelope?.name, path: $0.place.path) })
    }
    return try found(match.envelope, at: match.place)
  }

  /// The envelopes that a value matches. A nil element means that the value is itself a payload.
  private static func kinds(of place: JSONPath.Place) -> [Envelope?] {
    place.value["aps"] != nil ? [nil] : choose(among: Envelope.known.filter { $0.isIn(place) }, at: place)
  }

  /// Keeps one row for each name: the first that has a payload in `place`, or else the first.
  private static func choose(
    among rows: [Envelope], at place: JSONPath.Place, ignoringMark: Bool = false
  ) -> [Envelope] {
    // Only rows of the same service, one after the other, have the same name.
    rows.reduce(into: []) { chosen, row in
      guard let last = chosen.last, last.name == row.name else { return chosen.append(row) }
      if last.hasPayload(in: place, ignoringMark: ignoringMark) { return }
      if row.hasPayload(in: place, ignoringMark: ignoringMark) { chosen[chosen.count - 1] = row }
    }
  }

  private static func children(of places: [JSONPath.Place]) -> [JSONPath.Place] {
    var children: [JSONPath.Place] = []
    // Long lists come last, so that nothing beside them is out of reach.
    let ordered = places.filter { $0.value.kind != .array } + places.filter { $0.value.kind == .array }
    for place in ordered where children.count < maximumPlaces {
      forEachChild(of: place) {
        children.append($0)
        return children.count < maximumPlaces
      }
    }
    return children
  }

  /// Calls `body` with the objects and arrays in a value, with those in strings of JSON, and with
  /// strings that only look like JSON, as long as it returns true.
  private static func forEachChild(of place: JSONPath.Place, _ body: (JSONPath.Place) -> Bool) {
    let members = place.value.members.lazy.filter { $0.key.range.count <= maximumName }
    // Of members with the same name, the last one counts. Notes only names that matter: a message can have
    // thousands, which would take more memory than the message.
    var last: [String: Int] = [:]
    for member in members {
      let name = member.name
      let isNew = last.count < maximumPlaces && member.value.mayContainPayload
      if isNew || last[name] != nil { last[name] = member.value.index }
    }
    for member in members where member.value.mayContainPayload {
      let name = member.name
      guard last[name] == member.value.index else { continue }
      guard body(place.stepped(to: member.value, key: name).parsed) else { return }
    }
    for (index, element) in place.value.elements.enumerated() where element.mayContainPayload {
      guard body(place.stepped(to: element, key: String(index)).parsed) else { return }
    }
  }

  private static func read(_ top: JSONPath.Place, as name: String) throws(EnvelopeError) -> Found {
    let rows = Envelope.known.filter { $0.name == name && $0.isIn(top, ignoringMark: true) }
    // A bare payload fits some rows, too.
    guard let envelope = choose(among: rows, at: top, ignoringMark: true).first,
      top.value["aps"] == nil || envelope.hasPayload(in: top, ignoringMark: true)
    else { throw .notEnvelope(name) }
    return try found(envelope, at: top, ignoringMark: true)
  }

  /// Reads the named places that the message has. A broken one fails by itself unless all are broken.
  private static func read(_ keys: [MediaKey], from top: JSONPath.Place) throws(EnvelopeError) -> Found {
    var found = Found()
    var seen: Set<String> = []
    for key in keys {
      let places = try bounded { JSONPath(key).visit(from: top, $0) }
      for place in places where place.value.kind != .null && seen.insert(place.path).inserted {
        do throws(EnvelopeError) {
          let next = try read(place)
          found.envelope = next.envelope ?? found.envelope
          found.payloads += next.payloads
        } catch {
          if error == .tooMany { throw error }
          found.payloads.append(Payload(at: place, problem: error))
        }
        // Checked as it goes: each place may be an envelope of a hundred payloads.
        guard found.payloads.count <= PushMessage.maximumPayloads else { throw .tooMany }
      }
    }
    if found.payloads.isEmpty { throw .nothingAt(keys.map(\.description)) }
    return try found.checked()
  }

  /// Reads a payload or an envelope at a place that the user named.
  private static func read(_ place: JSONPath.Place) throws(EnvelopeError) -> Found {
    let matches = kinds(of: place).map { (place, $0) }
    let certain = certain(matches)
    if let found = try only(certain.isEmpty ? matches : certain) { return found }
    guard place.value.kind == .object else { throw place.noObject }
    return try found(nil, at: place)
  }

  private static func found(
    _ envelope: Envelope?, at place: JSONPath.Place, ignoringMark: Bool = false
  ) throws(EnvelopeError) -> Found {
    guard let envelope else { return Found(payloads: [Payload(at: place)]) }
    let messages = try bounded { envelope.visitMessages(from: place, ignoringMark: ignoringMark, $0) }
    let payloads = messages.map { message in
      do throws(EnvelopeError) {
        return try Payload(message, in: envelope)
      } catch {
        return Payload(at: message, problem: error)
      }
    }
    return try Found(envelope: envelope.name, payloads: payloads).checked()
  }

  /// The places that `visit` calls back with. Each has its whole path, so thousands of them could take megabytes.
  private static func bounded(
    _ visit: ((JSONPath.Place) -> Void) -> Void
  ) throws(EnvelopeError) -> [JSONPath.Place] {
    var places: [JSONPath.Place] = []
    var count = 0
    visit { place in
      count += 1
      if count <= PushMessage.maximumPayloads { places.append(place) }
    }
    guard count <= PushMessage.maximumPayloads else { throw .tooMany }
    return places
  }

  private static func nothing(in root: JSONValue) -> EnvelopeError {
    .nothing(seen: names(in: root), aps: deepPath(from: root))
  }

  private static func names(in root: JSONValue) -> [String] {
    let names = root.members.lazy.map(\.name).filter { !$0.isEmpty }.prefix(5)
    return names.map { String($0.prefix(40)) }
  }

  /// The path of a text that starts like an object in base64, as in a push of Pub/Sub or in Kinesis.
  private static func base64Path(in place: JSONPath.Place, depth: Int) -> String? {
    for member in place.value.members where member.key.range.count <= maximumName {
      let next = place.stepped(to: member.value, key: member.name)
      if member.value.looksLikeBase64 { return next.path }
      if depth > 0, member.value.kind == .object, let path = base64Path(in: next, depth: depth - 1) {
        return path
      }
    }
    return nil
  }

  /// The path of a payload, of a proven envelope, or of a broken payload, at most 16 levels deep, as `--payload-at`
  /// takes it. Looks into strings too.
  private static func deepPath(from root: JSONValue) -> String? {
    var left = maximumPlaces
    var found: String?
    func look(_ place: JSONPath.Place, _ depth: Int) -> Bool {
      left -= 1
      if place.value.looksLikeBrokenPayload
        || kinds(of: place).contains(where: { $0?.isProven(in: place) ?? true })
      {
        found = place.path
      }
      guard found == nil, left > 0 else { return false }
      let isList = place.value.isListOfOneKind
      if depth > 0 {
        let start = place.path.isEmpty ? 0 : place.path.utf8.count + 1
        forEachChild(of: place) { child in
          // No `MediaKey` can spell an empty name.
          guard child.path.utf8.count > start else { return true }
          let goesOn = look(child, depth - 1)
          // The others in the list most likely have payloads, too.
          if isList, let path = found {
            let rest = path.utf8.dropFirst(child.path.utf8.count)
            found = "\(Substring(path.utf8.prefix(start)))*\(Substring(rest))"
          }
          return goesOn
        }
      }
      return found == nil && left > 0
    }
    _ = look(JSONPath.Place(value: root), 16)
    return found
  }
}

extension Envelope {
  /// Whether a message at `place` has a value at the place of the payload.
  fileprivate func hasPayload(in place: JSONPath.Place, ignoringMark: Bool) -> Bool {
    var hasPayload = false
    visitMessages(from: place, ignoringMark: ignoringMark) {
      hasPayload = hasPayload || $0.value[payload].map { $0.kind != .null } ?? false
    }
    return hasPayload
  }

  /// Whether this envelope has a message at `place` that only its service has.
  fileprivate func isProven(in place: JSONPath.Place) -> Bool {
    guard let proof else { return true }
    var isProven = false
    visitMessages(from: place, ignoringMark: false) { isProven = isProven || proof.fits($0.value) }
    return isProven
  }

  /// Whether this envelope has a message at `place`.
  fileprivate func isIn(_ place: JSONPath.Place, ignoringMark: Bool = false) -> Bool {
    var isIn = false
    visitMessages(from: place, ignoringMark: ignoringMark) { _ in isIn = true }
    return isIn
  }

  fileprivate func visitMessages(
    from place: JSONPath.Place, ignoringMark: Bool, _ visit: (JSONPath.Place) -> Void
  ) {
    for way in messages {
      way.visit(from: place) { message in
        // Many senders write null for what is missing.
        let isMessage =
          isText
          ? message.value.kind != .null
          : ignoringMark ? message.value.kind == .object : mark.fits(message.value)
        if isMessage { visit(message) }
      }
    }
  }
}
