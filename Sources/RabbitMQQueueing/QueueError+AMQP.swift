internal import CRabbitMQ
internal import Queueing

extension QueueError {
  /// Makes an error from librabbitmq's status of a failed connection.
  init(connecting status: Int32, to server: RabbitMQURL.Server) {
    self =
      switch status {
      case AMQP_STATUS_SSL_HOSTNAME_VERIFY_FAILED.rawValue, AMQP_STATUS_SSL_PEER_VERIFY_FAILED.rawValue:
        .refused(
          "the certificate of \(server.name) is for another host, or its authority is not trusted: name the authority with --ca-file"
        )
      case AMQP_STATUS_SSL_ERROR.rawValue, AMQP_STATUS_SSL_CONNECTION_FAILED.rawValue:
        server.unavailable("does not speak TLS, or is shutting down: amqps usually uses port 5671")
      case AMQP_STATUS_HOSTNAME_RESOLUTION_FAILED.rawValue:
        server.unavailable("cannot be reached: its name does not resolve")
      default:
        server.unavailable(
          "cannot be reached (\(Self.text(status))): check that it is running and that the port is right")
      }
  }

  /// Makes an error from the reply to a login. Nil if the login succeeded.
  init?(loggingIn reply: amqp_rpc_reply_t, to server: RabbitMQURL.Server) {
    if unsafe reply.reply_type == AMQP_RESPONSE_NORMAL { return nil }
    guard unsafe reply.reply_type == AMQP_RESPONSE_SERVER_EXCEPTION,
      case .ended(let code, let text) = unsafe AMQPEvent(reply.reply)
    else {
      let error = Self.text(unsafe amqp_reply_error(reply))
      self = server.unavailable("does not let anyone in (\(error)): check that it is RabbitMQ; see its log")
      return
    }
    self =
      switch code {
      case AMQP_ACCESS_REFUSED:
        server.refused("does not let the user \(server.user) in: check the name and the password")
      // The limit is that of the virtual host, the user or the node (rabbit_reader.erl).
      case AMQP_NOT_ALLOWED where text.contains("connection limit ("):
        server.unavailable(
          "has no connection left: \(text.amqpDetail); raise the limit, or find out what holds them")
      case AMQP_NOT_ALLOWED:
        server.refused(
          "does not let the user \(server.user) into the virtual host \(server.vhost): \(text.amqpDetail); check its name and the rights of the user; ?queue=NAME names a queue"
        )
      default: server.unavailable("does not let anyone in: \(text.amqpDetail)")
      }
  }

  /// Makes an error from the code and text with which the broker closes a channel or connection.
  init(closed code: Int32, _ text: String, by server: RabbitMQURL.Server) {
    let detail = text.amqpDetail
    self =
      switch code {
      // `consumer_timeout`, by default 30 minutes. The queue for results may be away that long.
      case AMQP_PRECONDITION_FAILED where text.contains("delivery acknowledgement"):
        server.unavailable("has taken messages back: \(detail)")
      case AMQP_ACCESS_REFUSED, AMQP_NOT_FOUND, AMQP_PRECONDITION_FAILED, AMQP_RESOURCE_LOCKED,
        AMQP_NOT_IMPLEMENTED:
        server.refused("refuses: \(detail)")
      default: server.unavailable("cannot do that now: \(detail)")
      }
  }

  static func text(_ status: Int32) -> String {
    unsafe amqp_error_string2(status).map { unsafe String(cString: $0) } ?? "code \(status)"
  }
}

extension String {
  /// The text after the name of a code, as in `NOT_FOUND - no exchange 'x' in vhost '/'`.
  var amqpDetail: String { firstRange(of: " - ").map { String(self[$0.upperBound...]) } ?? self }
}
