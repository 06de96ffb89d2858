/// What is answered to one request.
package struct Page: Equatable, Sendable {
  /// Makes the page that stands under a path, as things are when it is asked for.
  package typealias Maker = @Sendable () async -> Page

  /// Of HTTP (RFC 9110 section 15).
  package let status: Int
  package let text: String

  package init(status: Int = 200, _ text: String) {
    self.status = status
    self.text = text
  }
}
