extension Exposition.Family {
  var suffixes: [String] { type == "histogram" ? ["_bucket", "_sum", "_count"] : [""] }

  /// Checks that names follow Prometheus's rules and that the buckets of histograms add up.
  func check() throws(Exposition.Fault) {
    func fault(_ reason: String) -> Exposition.Fault { Exposition.Fault(line: name, reason: reason) }
    guard !samples.isEmpty else { throw fault("a family without a sample") }
    guard (type == "counter") == name.hasSuffix("_total") else {
      throw fault("counters, and they alone, end in _total")
    }
    guard type == "histogram" else { return }
    let series = Dictionary(grouping: samples) { sample in sample.labels.filter { $0.key != "le" } }
    for (_, samples) in series {
      let buckets = samples.filter { $0.name == "\(name)_bucket" }
      let bounds = buckets.map { bucket in
        bucket.labels["le"] == "+Inf" ? Double.infinity : bucket.labels["le"].flatMap { Double($0) } ?? .nan
      }
      let counts = buckets.map(\.value)
      guard bounds.last == .infinity, zip(bounds, bounds.dropFirst()).allSatisfy({ $0 < $1 }),
        zip(counts, counts.dropFirst()).allSatisfy({ $0 <= $1 }),
        samples.filter({ $0.name == "\(name)_count" }).map(\.value) == counts.suffix(1),
        samples.filter({ $0.name == "\(name)_sum" }).count == 1
      else { throw fault("a histogram that does not add up") }
    }
  }
}
