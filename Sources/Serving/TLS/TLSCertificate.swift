internal import COpenSSL
internal import Glibc
internal import Supporting
internal import Synchronization

/// The certificate of a server and its key, in PEM files. When they are replaced, new connections use the new ones.
package final class TLSCertificate: Sendable {
  private struct State {
    var context: TLSContext
    var stamps: [FileStamp?]
    /// Why the newest files cannot be used.
    var fault: ServingError?
    var nextLook = MonotonicTime.now
  }

  /// In bytes. A key takes 240 to 3,300.
  private static let longestKey = 65_536

  private let certificate, key: String
  private let warn: @Sendable (ServingError) -> Void
  private let state: Mutex<State>

  /// - Parameters:
  ///   - certificate: the path of a file with the certificate and its chain.
  ///   - key: the path of a file with the key, which may be the same. Other users must have no access (`FileExposure`).
  ///   - warn: called when new files cannot be used. The old ones stay in use then.
  package init(
    certificate: String, key: String, warn: @escaping @Sendable (ServingError) -> Void = { _ in }
  ) throws(ServingError) {
    (self.certificate, self.key, self.warn) = (certificate, key, warn)
    // Taken before the files are read, so that a change in between shows later.
    let stamps = [FileStamp(of: certificate), FileStamp(of: key)]
    state = Mutex(State(context: try Self.read(certificate, key), stamps: stamps))
  }

  /// Looks at the files once a second. While only one of them is new, the old certificate and key stay in use.
  var context: TLSContext {
    var fault: ServingError?
    let context = state.withLock { state in
      let now = MonotonicTime.now
      guard now >= state.nextLook else { return state.context }
      state.nextLook = now + .seconds(1)
      let stamps = [FileStamp(of: certificate), FileStamp(of: key)]
      guard stamps != state.stamps || !stamps.allSatisfy({ $0?.isSettled ?? true }) else {
        fault = state.fault.take()
        return state.context
      }
      (state.stamps, state.fault) = (stamps, nil)
      do throws(ServingError) { state.context = try Self.read(certificate, key) } catch {
        state.fault = error
      }
      return state.context
    }
    if let fault { warn(fault) }
    return context
  }

  private static func read(_ certificate: String, _ key: String) throws(ServingError) -> TLSContext {
    let file = unsafe open(key, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      throw .certificateUnusable("the key file \(key) cannot be read: \(String(errno: errno))")
    }
    defer { close(file) }
    if let exposure = FileExposure(of: file) {
      throw .certificateUnusable("the key file \(key) is refused: \(exposure.advice(on: key))")
    }
    guard var bytes = FileBytes.read(file, maximum: longestKey) else {
      throw .certificateUnusable("the key file \(key) cannot be read: \(String(errno: errno))")
    }
    defer { unsafe bytes.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) } }
    return try TLSContext(certificateFile: certificate, key: bytes, from: key)
  }
}
