internal import Glibc
internal import Supporting

/// Why there are no credentials. No case contains a secret.
enum CredentialError: Error, Equatable, CustomStringConvertible {
  /// Nothing is configured, and the metadata service must not be asked.
  case nowhere
  /// One variable or key is set, and another one that belongs to it is not.
  case incomplete(CredentialPlace, missing: String)
  case unusableVariable(CredentialPlace, name: String, rule: String)
  case unreadableFile(CredentialPlace, path: String, code: Int32)
  case unusableFile(CredentialPlace, path: String, rule: String)
  case noProfile(String, paths: [String])
  /// A profile needs something that does not exist here.
  case unsupportedProfile(String, key: String)
  case noAnswer(CredentialPlace, server: String, HTTPFailure)
  /// - Parameter code: the service's own word, such as `AccessDenied`.
  case refused(CredentialPlace, server: String, status: Int, code: String?)
  /// The answer is cut off, or does not come from this service.
  case unusableAnswer(CredentialPlace, server: String)
  /// The credentials have already expired.
  case ended(CredentialPlace)
  /// The task that waited for them was cancelled.
  case late

  /// Codes that STS answers with status 400 although a later try may succeed: something else is
  /// slow, or a token is just being replaced.
  private static let passingCodes = [
    "IDPCommunicationError", "Throttling", "ThrottlingException", "ExpiredTokenException",
  ]

  /// Whether the problem may pass by itself.
  var mayTryAgain: Bool {
    switch self {
    case .noAnswer(_, _, let failure): failure.mayTryAgain
    case .unusableAnswer, .ended, .late: true
    case .refused(_, _, let status, let code):
      status >= 500 || status == 429 || code.map(Self.passingCodes.contains) ?? false
    default: false
    }
  }

  var description: String { "\(problem): \(advice)" }

  /// What happened, and to what.
  var problem: String {
    switch self {
    case .nowhere: "there are no credentials for the object store"
    case .incomplete(let place, let missing):
      "\(missing) is missing, which the credentials of \(place.rawValue) need"
    case .unusableVariable(_, let name, _): "the variable \(name) cannot be used"
    case .unreadableFile(_, let path, let code): "\(path.printable) cannot be read: \(String(errno: code))"
    case .unusableFile(_, let path, _): "\(path.printable) cannot be used"
    case .noProfile(let name, let paths):
      "there is no profile \"\(name.printable)\" with keys in \(paths.map(\.printable).joined(separator: " or "))"
    case .unsupportedProfile(let name, let key):
      "the profile \"\(name.printable)\" has \(key), which is not supported here"
    case .noAnswer(let place, let server, let failure):
      "\(place.rawValue) (\(server)) gave no credentials: \(failure.problem)"
    case .refused(let place, let server, let status, let code):
      "\(place.rawValue) (\(server)) refused to give credentials: status \(status)\(code.map { ", \($0)" } ?? "")"
    case .unusableAnswer(let place, let server):
      "\(place.rawValue) (\(server)) gave an answer without usable credentials"
    case .ended(let place): "the credentials of \(place.rawValue) have already expired"
    case .late: "no credentials came in time"
    }
  }

  /// What to do.
  var advice: String {
    switch self {
    case .nowhere: Self.ways
    case .incomplete: "set it, or remove the others that these credentials consist of"
    case .unusableVariable(_, _, let rule), .unusableFile(_, _, let rule): rule
    // The sandbox blocks files that take the places of others.
    case .unreadableFile(_, _, EACCES):
      "let the user of this process read it; if it or its directory was replaced, restart push-enricher"
    case .unreadableFile: "let the user of this process read it, and check its path"
    case .noProfile:
      "name another one with AWS_PROFILE, or add aws_access_key_id and aws_secret_access_key to it"
    case .unsupportedProfile:
      "use a profile with aws_access_key_id and aws_secret_access_key, or run it with the credentials that \"aws configure export-credentials --format env\" prints"
    // The service is not to blame.
    case .noAnswer(_, _, let failure) where !failure.mayTryAgain: failure.advice
    case .noAnswer(.instance, _, _):
      "\(Self.ways); in a container on EC2, the answer needs a second hop: aws ec2 modify-instance-metadata-options --http-put-response-hop-limit 2"
    // This machine may be in another cloud, whose service has this address, too.
    case .refused(.instance, _, _, _), .unusableAnswer(.instance, _):
      "attach a role to the instance, or: \(Self.ways)"
    case .noAnswer(let place, _, _), .unusableAnswer(let place, _): Self.check(place)
    case .refused(let place, _, _, _): Self.check(place)
    case .ended(let place): "set the clock of this machine if it is wrong; else \(Self.check(place))"
    case .late: "check the disk that the files with the credentials are on"
    }
  }

  private static let ways =
    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give the pod, the task or the instance a role"

  private static func check(_ place: CredentialPlace) -> String {
    switch place {
    case .environment, .sharedFiles: "set new ones"
    case .webIdentity:
      "check AWS_ROLE_ARN, the role's trust policy for this service account, and that STS of this region can be reached"
    case .container:
      "check the role of the task or of the pod, and that its agent runs"
    case .instance: "check the role of the instance"
    }
  }
}
