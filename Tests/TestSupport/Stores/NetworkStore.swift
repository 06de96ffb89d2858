package import Storing
internal import Supporting
internal import Synchronization

/// A store on another machine, as an enricher sees it. It puts whole objects into a `Bucket` under
/// their final names.
package final class NetworkStore: MediaStore {
  package let spools: SpoolDirectory
  private let settings: StoreSettings
  private let bucket: Bucket

  fileprivate init(_ bucket: Bucket, _ settings: StoreSettings) throws(StoreError) {
    spools = try SpoolDirectory(path: bucket.spools, settings)
    self.settings = settings
    self.bucket = bucket
  }

  package func store(_ medium: any ArrivedMedium) async throws(StoreError) -> StoredFile? {
    guard let file = try await settings.disk.run({ () throws(StoreError) in try medium.finish() }) else {
      return nil
    }
    var content = [UInt8](repeating: 0, count: file.stored.size)
    var span = content.mutableSpan
    let count = file.read(at: 0, into: &span)
    try await bucket.put(content.prefix(count), as: file.stored.name)
    return file.stored
  }

  package func url(of name: String) -> String { Bucket.place + "/" + name }

  package func touch(_ name: String, size: Int) async -> Bool { bucket.object(name)?.count == size }

  package func tryOut(bytes: Int) async throws(StoreError) {
    try await bucket.answer(to: bytes)
  }
}

/// The other side of a `NetworkStore`: objects in memory, and a server whose mood can change.
package final class Bucket: Sendable {
  /// The place of every bucket, as a setting.
  package static let place = "test://bucket"

  /// How the server answers when something is put.
  package struct Mood: Sendable {
    /// What it waits for before it answers.
    package var latch: Latch?
    package var error: StoreError?

    package init(heldBy latch: Latch? = nil, error: StoreError? = nil) {
      self.latch = latch
      self.error = error
    }
  }

  /// The directory in which media are collected before they are put.
  fileprivate let spools: String
  private let state = Mutex((objects: [String: [UInt8]](), mood: { @Sendable (_: Int) in Mood() }))
  private let asked = Counter()

  package init(spools: String) { self.spools = spools }

  /// The row that opens this bucket.
  package var kind: StoreKind {
    StoreKind(prefix: Bucket.place, spoolDirectory: { [spools] _ in spools }) {
      (_, settings) throws(StoreError) in try NetworkStore(self, settings)
    }
  }

  package var names: [String] { state.withLock { $0.objects.keys.sorted() } }

  package func object(_ name: String) -> [UInt8]? { state.withLock { $0.objects[name] } }

  /// How often something was put or tried out.
  package var questions: Int { asked.count }

  package func removeAll() { state.withLock { $0.objects = [:] } }

  /// - Parameter mood: gets the size in bytes of the object that is put.
  package func change(to mood: @escaping @Sendable (_ size: Int) -> Mood) {
    state.withLock { $0.mood = mood }
  }

  fileprivate func put(_ content: ArraySlice<UInt8>, as name: String) async throws(StoreError) {
    try await answer(to: content.count)
    state.withLock { $0.objects[name] = Array(content) }
  }

  /// Takes its time, even if its client is cancelled meanwhile.
  fileprivate func answer(to size: Int) async throws(StoreError) {
    asked.add()
    let mood = state.withLock { $0.mood }(size)
    if let latch = mood.latch { await Task.detached { try? await latch.pass() }.value }
    if let error = mood.error { throw error }
  }
}
