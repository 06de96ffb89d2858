internal import Serving

/// The page for people: one document, which asks for nothing but `/status.json`. It is made of
/// `StatusPage+Style`, `+Body` and `+Script`.
enum StatusPage {
  static func page() -> Page {
    // No style and no script but these two are run, whatever a host is called.
    let nonce = String(UInt128.random(in: 0...UInt128.max), radix: 36)
    let text = """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>push-enricher</title>
      <link rel="icon" href="data:,">
      <style nonce="\(nonce)">
      \(style)
      </style>
      \(body)
      <script nonce="\(nonce)">
      \(script)
      </script>
      </html>

      """
    return Page(text, as: .html(nonce: nonce))
  }
}
