internal import Storing

extension StoreError {
  /// Says what happened, to which bucket, and what to do about it. Never shows keys or tokens.
  init(_ failure: S3Failure, at location: S3Location) {
    let bucket = "the bucket \(location.bucket) at \(location.endpoint.authority)"
    switch failure {
    case .refused(let refusal):
      let row = refusal.row
      let target =
        refusal.target.map { ", and redirects to \($0): redirects to other hosts are not followed" } ?? ""
      let key = row.isAboutKey ? refusal.keyPlace.map { "; the key comes from \($0.rawValue)" } ?? "" : ""
      self = .other(
        "\(bucket) \(row.words) (\(refusal.name))\(target)", advice: row.advice + key, extent: row.extent)
    case .unanswered(.spoolUnreadable):
      self = .other(
        HTTPFailure.spoolUnreadable.problem, advice: HTTPFailure.spoolUnreadable.advice, extent: .forNow)
    case .unanswered(let failure):
      self = .other(
        "the bucket \(location.bucket) gave no usable answer: \(failure.problem)", advice: failure.advice,
        extent: failure.mayTryAgain || failure == .cancelled ? .forNow : .lasting)
    case .unsigned(let error):
      self = .other(
        "nothing can be put into \(bucket): \(error.problem)", advice: error.advice,
        extent: error.mayTryAgain ? .forNow : .lasting)
    case .late:
      self = .other(
        "\(bucket) did not take the object in time", advice: "make the store or the network to it faster",
        extent: .forNow)
    }
  }
}
