internal import Dispatch

/// A place where credentials may be, and how to get them from there.
protocol CredentialSource: Sendable {
  static var place: CredentialPlace { get }

  /// The files that the source may read each time, whether or not they exist. They may be replaced while the
  /// process runs.
  /// - Parameter environment: without empty variables.
  static func files(_ environment: [String: String]) -> [String]

  /// Returns nil if this source is not configured. May block on the disk.
  /// - Parameters:
  ///   - environment: without empty variables.
  ///   - region: the region of the bucket.
  init?(_ environment: [String: String], region: String) throws(CredentialError)

  /// The server that the source asks. Nil if it asks none.
  var server: ServiceURL? { get }

  func fetch(_ means: CredentialMeans) async throws(CredentialError) -> Credentials
}

extension CredentialSource {
  static func files(_ environment: [String: String]) -> [String] { [] }
  var server: ServiceURL? { nil }
}

/// The tools with which a source gets credentials.
struct CredentialMeans: Sendable {
  let send: CredentialChain.Transport
  /// Reads files. They may be on a disk that hangs, which must not block the threads that run tasks.
  let disk: DispatchQueue
  /// In seconds since 1970, by this machine's clock.
  let now: Int64
}

enum CredentialPlace: String, Sendable {
  case environment = "the environment"
  case webIdentity = "STS"
  case sharedFiles = "the shared files"
  case container = "the container's service for credentials"
  case instance = "the metadata service of EC2"
}
