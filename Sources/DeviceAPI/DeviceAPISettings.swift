package import Serving

/// Where the device API listens, with which certificate, and how much strangers may use.
package struct DeviceAPISettings: Sendable {
  package let endpoint: Endpoint
  /// PEM files; nil without TLS.
  package let certificateFile, keyFile: String?
  /// How many connections may be open at once, and what they take in bytes: 20 KB each with TLS.
  package static let mostConnections = 64
  package static let mostMemory = 1_300_000
  package var connections = mostConnections
  /// How long a client may take for each: the handshake, sending a head, sending a body, reading an answer.
  package var transfer = Duration.seconds(10)
  /// How many calls of the push queue may be under way at once.
  package var calls = 64
  /// Called with the status of each answer, or 499 if the client went away before its answer.
  package var answered: @Sendable (Int) -> Void = { _ in }
  /// Called with a warning for the operator: the push queue failed, or new certificate files cannot be used.
  package var warn: @Sendable (String) -> Void = { _ in }

  /// - Parameters:
  ///   - certificateFile: a PEM file with the certificate and its chain.
  ///   - keyFile: a PEM file with the key; nil if it is in `certificateFile`.
  package init(
    at endpoint: Endpoint, certificateFile: String? = nil, keyFile: String? = nil
  ) throws(DeviceAPIError) {
    guard certificateFile != nil || keyFile == nil else { throw .certificateMissing }
    guard certificateFile != nil || endpoint.isLoopback else { throw .unprotected(endpoint) }
    self.endpoint = endpoint
    self.certificateFile = certificateFile
    self.keyFile = keyFile ?? certificateFile
  }

  /// What the process needs from the sandbox: the port to listen on, and files that may be replaced while it runs.
  package var needs: (listenPort: Int, replaceableFiles: [String]) {
    (endpoint.port, Set([certificateFile, keyFile].compactMap(\.self)).sorted())
  }
}

/// Why the device API cannot have these settings.
package enum DeviceAPIError: Error, Equatable, CustomStringConvertible {
  /// Devices would send their tickets in the clear.
  case unprotected(Endpoint)
  case certificateMissing

  package var description: String {
    switch self {
    case .unprotected(let endpoint):
      "the device API is not served without TLS at \(endpoint), which others can reach: add --device-api-certificate and --device-api-key, or serve it at a loopback address like 127.0.0.1:\(endpoint.port) behind a proxy with TLS"
    case .certificateMissing: "--device-api-key needs --device-api-certificate, the certificate of that key"
    }
  }
}
