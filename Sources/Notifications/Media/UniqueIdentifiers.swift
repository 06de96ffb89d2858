/// Gives out identifiers, none twice: the name itself first, then `name-2`, `name-3` and so on.
struct UniqueIdentifiers {
  /// For what has no name.
  static let standard = "media"

  /// Names of senders, which a made-up one must not take from them.
  private let reserved: Set<String>
  /// Those of them that are given out.
  private var given: Set<String> = []
  /// The last number tried for a name. Without it, ten thousand times the same name would be tried 50 million
  /// times.
  private var counters: [String: Int] = [:]

  /// - Parameter reserved: all names that senders gave.
  init(reserved: [String]) { self.reserved = Set(reserved) }

  /// - Parameter name: the sender's; nil for none.
  /// - Returns: it, or what is nearest to it.
  mutating func next(_ name: String?) -> String {
    if let name, given.insert(name).inserted { return name }
    let base = name ?? Self.standard
    while true {
      let number = counters[base, default: name == nil ? 0 : 1] + 1
      counters[base] = number
      let candidate = number == 1 ? base : "\(base)-\(number)"
      // Another made-up one has another base or another number.
      if !reserved.contains(candidate) { return candidate }
    }
  }
}
