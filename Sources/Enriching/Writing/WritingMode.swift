/// How a result names the stored files. The raw values are those of `--write`.
package enum WritingMode: String, CaseIterable, Sendable {
  /// In a member of their own, which the app's extension has to know.
  case attachments
  /// In the places of the URLs that were sent, which the provider's SDK knows already.
  case inPlace = "in-place"
}
