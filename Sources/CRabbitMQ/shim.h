#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

// amqp_login_with_properties is variadic.
static inline amqp_rpc_reply_t amqp_login_plain(
    amqp_connection_state_t connection, const char *vhost, int frame_max, int heartbeat, const amqp_table_t *properties,
    const char *user, const char *password) {
  return amqp_login_with_properties(
      connection, vhost, 0, frame_max, heartbeat, properties, AMQP_SASL_METHOD_PLAIN, user, password);
}

// Trusts the system's authorities and those of a file (NULL for none), for this host only, with TLS 1.2 or later. librabbitmq's own check of the
// host name does not support IP addresses. Returns 0 if the file cannot be read.
static inline int amqp_verify_host(amqp_socket_t *socket, const char *host, const char *authorities) {
  SSL_CTX *context = (SSL_CTX *)amqp_ssl_socket_get_context(socket);
  X509_VERIFY_PARAM *parameters = SSL_CTX_get0_param(context);
  amqp_ssl_socket_set_verify_peer(socket, 1);
  amqp_ssl_socket_set_verify_hostname(socket, 0);
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_default_verify_paths(context) == 1 &&
         (X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1 || X509_VERIFY_PARAM_set1_host(parameters, host, 0) == 1) &&
         (!authorities || SSL_CTX_load_verify_locations(context, authorities, NULL) == 1);
}

// Swift may not read this field from a copy.
static inline int amqp_reply_error(amqp_rpc_reply_t reply) { return reply.library_error; }
