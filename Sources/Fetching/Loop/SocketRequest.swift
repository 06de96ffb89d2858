internal import CCurl
internal import Glibc
internal import Supporting

/// A socket that libcurl asks for (`CURLOPT_OPENSOCKETFUNCTION(3)`).
@safe struct SocketRequest {
  private let wanted: UnsafeMutablePointer<curl_sockaddr>

  /// - Parameter wanted: valid for as long as libcurl's call lasts.
  init(_ wanted: UnsafeMutablePointer<curl_sockaddr>) { unsafe self.wanted = wanted }

  /// The address rule stands here because every spelling, redirect and second lookup ends at this socket.
  /// - Throws: `FetchError.addressBlocked`, `.addressDenied`.
  func check(_ policy: AddressPolicy) throws(FetchError) {
    guard let address = unsafe IPAddress(curl_wanted_address(wanted)) else {
      throw .addressBlocked(address: "an unknown family", purpose: "neither IPv4 nor IPv6")
    }
    try policy.check(address)
  }

  /// - Returns: its descriptor; `CURL_SOCKET_BAD` where the kernel has none for this address.
  /// - Throws: `FetchError.openFilesExhausted`, `.resourcesExhausted`.
  func open() throws(FetchError) -> curl_socket_t {
    let type = unsafe wanted.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = unsafe socket(wanted.pointee.family, type, wanted.pointee.protocol)
    if descriptor >= 0 { return descriptor }
    switch errno {
    case EMFILE, ENFILE: throw .openFilesExhausted
    case ENOBUFS, ENOMEM: throw .resourcesExhausted(detail: String(errno: errno))
    default: return CURL_SOCKET_BAD
    }
  }
}
