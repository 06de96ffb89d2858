internal import Decrypting
internal import Fetching
internal import Sniffing
internal import Storing
internal import Supporting
internal import Synchronization

/// Receives a body piece by piece on the transfer loop's thread. Puts it into a spool, and shows it
/// to the sniffer until its type is known. A wrong type or too many bytes end the transfer at once.
///
/// Encrypted bodies are decrypted on arrival. Their plaintext decides nothing until all of it is
/// authentic. Otherwise an attacker who changes a file could infer plaintext from when the transfer
/// ends.
final class MediaIntake: ArrivedMedium, BodyConsumer {
  private struct State: ~Copyable {
    var spool: Spool?
    /// Nil if the body is not encrypted.
    var decryptor: MediaDecryptor?
    var isEncrypted = false
    /// Whether the plaintext is larger than any family allows. The rest is dropped.
    var isTooLarge = false
    var announced: Int?
    var examination = MediaExamination()

    var size: Int { mutating get { spool?.size ?? 0 } }

    mutating func read(at offset: Int, into buffer: inout MutableSpan<UInt8>) -> Int {
      spool?.read(at: offset, into: &buffer) ?? 0
    }
  }

  let spools: SpoolDirectory
  private let sniffer: Sniffer
  private let limits: SizeLimits
  private let memory: MemoryMonitor
  private let protection: MediaRequest.Protection
  private let lateness: @Sendable (_ bytes: Int) -> Failure?
  /// Held while the disk is written, so only the transfer loop and `finish` may wait for it.
  private let state = Mutex(State())
  /// Apart from `state`, so that they can be read even while a disk hangs.
  private let findings = Mutex((format: MediaFormat?.none, facts: MediaFacts(), failure: Failure?.none))

  /// - Parameter lateness: why a file of this size cannot be stored in time, or nil if it can.
  init(
    spools: SpoolDirectory, sniffer: Sniffer, limits: SizeLimits, memory: MemoryMonitor,
    protection: MediaRequest.Protection = .undeclared(KeyRing()),
    lateness: @escaping @Sendable (_ bytes: Int) -> Failure? = { _ in nil }
  ) {
    self.spools = spools
    self.sniffer = sniffer
    self.limits = limits
    self.memory = memory
    self.protection = protection
    self.lateness = lateness
  }

  /// The type of the bytes, once it is known.
  var format: MediaFormat? { findings.withLock { $0.format } }
  /// What is known of the bytes besides their type.
  var facts: MediaFacts { findings.withLock { $0.facts } }
  var mediaType: String { format?.mimeTypes.first ?? "application/octet-stream" }
  /// The size limit for files of that format, in bytes.
  var limit: Int? { format.map { limits[$0.family] } }
  /// Why the body was refused.
  var failure: Failure? { findings.withLock { $0.failure } }
  /// Whether the body was encrypted. Waits for the disk, so do not ask while the body arrives.
  var wasEncrypted: Bool { state.withLock { $0.isEncrypted } }

  var contentCoding: String? { protection.contentCoding }
  /// A ciphertext is at most an eighth larger, because records of only a few bytes are refused.
  var maximumBytes: Int? { protection.mayBeEncrypted ? limits.largest + limits.largest / 8 + 65_536 : nil }

  func begin(_ head: ResponseHead) -> BodyDecision {
    step { (state) throws(Failure) in
      state = State()
      findings.withLock { $0 = (nil, MediaFacts(), nil) }
      if let failure = lateness(head.contentLength ?? 0) { throw failure }
      state.announced = head.contentLength
      state.decryptor = try rethrowing(as: Failure.init) { () throws(DecryptingError) in
        try protection.decryptor(for: head, pieceBytes: spools.settings.pieceBytes)
      }
      state.isEncrypted = state.decryptor != nil
      state.spool = try rethrowing(as: Failure.init) { () throws(StoreError) in
        try spools.makeSpool(announced: head.contentLength)
      }
    }
  }

  func receive(_ bytes: Span<UInt8>) -> BodyDecision {
    step { (state) throws(Failure) in
      try state.isEncrypted ? decrypt(bytes, &state) : append(bytes, &state)
      guard !memory.isExceeded(after: bytes.count) else {
        throw Failure(.memoryExceeded, "the process has more than \(memory.total.asBytes) of private memory")
      }
      if !state.isEncrypted { try check(&state, isComplete: false) }
    }
  }

  private func step(_ body: (inout State) throws(Failure) -> Void) -> BodyDecision {
    state.withLock { state in
      spools.activity.begin()
      defer { spools.activity.end() }
      do throws(Failure) {
        try body(&state)
        return .more
      } catch {
        refuse(error, &state)
        return .stop
      }
    }
  }

  private func refuse(_ failure: Failure, _ state: inout State) {
    findings.withLock { $0.failure = failure }
    // Frees the buffer for other transfers at once.
    state.spool = nil
  }

  /// Whether the file itself shows that it is complete.
  func showsEnd() -> Bool {
    state.withLock { state in
      // Decrypting fails if anything is missing.
      if state.isEncrypted { return true }
      // A file that iOS does not accept is refused anyway, with a more useful reason. A short one has not been
      // examined yet.
      let isUnnamed = state.examination.format == nil
      state.examination.needs = 0
      if case .rejected = examine(&state, isComplete: false) { return true }
      switch FileEnd.examine(size: state.size, read: { state.read(at: $0, into: &$1) }) {
      case .shown: return true
      case .missing: return false
      case .unknown:
        guard isUnnamed, case .rejected = examine(&state, isComplete: true) else {
          return false
        }
        return true
      }
    }
  }

  /// Has `store` keep a complete body. Throws if the body is refused or the store fails.
  func store(in store: any MediaStore) async throws(Failure) -> StoredFile {
    do throws(StoreError) {
      if let file = try await store.store(self) { return file }
    } catch {
      throw Failure(error)
    }
    throw failure ?? Failure(.typeUnsupported, "there is no body")
  }

  func finish() throws(StoreError) -> SpooledFile? {
    try state.withLock { (state) throws(StoreError) in
      do throws(Failure) {
        try authenticate(&state)
        try check(&state, isComplete: true)
      } catch {
        refuse(error, &state)
      }
      guard let format = state.examination.format, var spool = state.spool.take() else { return nil }
      return try spool.finish(filenameExtension: format.filenameExtension)
    }
  }

  private func append(_ bytes: Span<UInt8>, _ state: inout State) throws(Failure) {
    if state.isEncrypted, state.size + bytes.count > limits.largest { state.isTooLarge = true }
    guard !state.isTooLarge else { return }
    try rethrowing(as: Failure.init) { () throws(StoreError) in try state.spool?.append(bytes) }
  }

  private func decrypt(_ bytes: Span<UInt8>, _ state: inout State) throws(Failure) {
    // Taken out of `state`, because `append` changes the state meanwhile.
    var decryptor = state.decryptor.take()
    try rethrowing(as: Failure.init) { () throws(MediaDecryptionError<Failure>) in
      try decryptor?.update(bytes) { (plaintext) throws(Failure) in try append(plaintext, &state) }
    }
    state.decryptor = decryptor.take()
  }

  private func authenticate(_ state: inout State) throws(Failure) {
    guard let decryptor = state.decryptor.take() else { return }
    do throws(MediaDecryptionError<Failure>) {
      try decryptor.finish { (plaintext) throws(Failure) in try append(plaintext, &state) }
    } catch {
      throw Failure(error)
    }
    if state.isTooLarge { throw Failure(.bodyTooLarge(maximum: limits.largest, announced: nil)) }
  }

  /// Continues the examination. Works on a copy, because it cannot change `state` while it reads the body from it.
  private func examine(_ state: inout State, isComplete: Bool) -> Examination {
    var examination = state.examination
    defer { state.examination = examination }
    return examination.proceed(available: state.size, isComplete: isComplete, with: sniffer) {
      state.read(at: $0, into: &$1)
    }
  }

  /// Checks the type and the size as far as they are known.
  private func check(_ state: inout State, isComplete: Bool) throws(Failure) {
    if case .rejected(let name) = examine(&state, isComplete: isComplete) {
      throw Failure.unsupported(name)
    }
    guard let format = state.examination.format else { return }
    let facts = state.examination.facts
    findings.withLock { ($0.format, $0.facts) = (format, facts) }
    let family = format.family
    if let excess = limits.excess(of: facts, of: family) {
      throw .tooManyPixels(format, facts, excess, limits)
    }
    let maximum = limits[family]
    // The announced size of an encrypted body is larger than that of its plaintext.
    let announced = state.isEncrypted ? nil : state.announced
    guard max(state.size, announced ?? 0) > maximum else { return }
    let (name, kind) = (format.displayName.withArticle, "\(family)".withArticle)
    throw Failure(
      .bodyTooLarge,
      announced.map { "\(name) of \($0.asBytes): \(kind) may be up to \(maximum.asBytes)" }
        ?? "\(name) of more than \(maximum.asBytes): \(kind) may be up to \(maximum.asBytes)")
  }
}
