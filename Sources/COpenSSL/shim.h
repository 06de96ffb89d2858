#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/obj_mac.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdint.h>
#include <stdlib.h>

// An OSSL_PARAM keeps a pointer to its name, which must be a literal in C. So there is one function per list of parameters.
static inline OSSL_PARAM openssl_sha256(void) {
  return OSSL_PARAM_construct_utf8_string(OSSL_ALG_PARAM_DIGEST, (char *)"SHA256", 0);
}

static inline OSSL_PARAM openssl_octets(const char *name, const void *bytes, size_t count) {
  return OSSL_PARAM_construct_octet_string(name, (void *)bytes, count);
}

static inline int openssl_hmac_sha256_init(EVP_MAC_CTX *context, const void *key, size_t key_count) {
  const OSSL_PARAM parameters[] = {openssl_sha256(), OSSL_PARAM_construct_end()};
  return EVP_MAC_init(context, (const unsigned char *)key, key_count, parameters);
}

// Derives by HKDF, or by the Concat KDF, which ignores the salt.
static inline int openssl_derive_sha256(
    EVP_KDF_CTX *context, const void *secret, size_t secret_count, const void *salt, size_t salt_count,
    const void *info, size_t info_count, void *output, size_t output_count) {
  const OSSL_PARAM parameters[] = {
      openssl_sha256(), openssl_octets(OSSL_KDF_PARAM_KEY, secret, secret_count),
      openssl_octets(OSSL_KDF_PARAM_SALT, salt, salt_count), openssl_octets(OSSL_KDF_PARAM_INFO, info, info_count),
      OSSL_PARAM_construct_end()};
  return EVP_KDF_derive(context, (unsigned char *)output, output_count, parameters);
}

// The product (65 octets, uncompressed) of a scalar (32 octets) and a point of P-256 (65 octets; NULL for its generator). 0 if the scalar is out
// of range or the point is not on the curve. The cofactor is 1, so it needs no check. EVP cannot compute the point of a bare scalar.
static inline int openssl_p256_multiply(const void *scalar, const void *point, void *product) {
  int written = 0;
  EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
  EC_POINT *factor = group ? EC_POINT_new(group) : NULL;
  EC_POINT *result = group ? EC_POINT_new(group) : NULL;
  BIGNUM *number = BN_secure_new();
  if (factor && result && number && BN_bin2bn((const unsigned char *)scalar, 32, number)) {
    BN_set_flags(number, BN_FLG_CONSTTIME);
    if (!BN_is_zero(number) && BN_cmp(number, EC_GROUP_get0_order(group)) < 0 &&
        (!point || EC_POINT_oct2point(group, factor, (const unsigned char *)point, 65, NULL) == 1) &&
        EC_POINT_mul(group, result, point ? NULL : number, point ? factor : NULL, point ? number : NULL, NULL) == 1)
      written = EC_POINT_point2oct(group, result, POINT_CONVERSION_UNCOMPRESSED, (unsigned char *)product, 65, NULL) == 65;
  }
  BN_clear_free(number);
  EC_POINT_free(factor);
  EC_POINT_clear_free(result);
  EC_GROUP_free(group);
  return written;
}

// A new key of P-256. EVP_EC_gen is a macro.
static inline EVP_PKEY *openssl_p256_key(void) { return EVP_EC_gen("P-256"); }

// A self-signed certificate for `names` as in x509v3_config(5), valid from `seconds` ago to `seconds` from now, and its new P-256 key in `*key`.
// The caller frees both. On an error, NULL and no key.
static inline X509 *openssl_self_signed(const char *names, long seconds, EVP_PKEY **key) {
  EVP_PKEY *made = EVP_EC_gen("P-256");
  X509 *certificate = X509_new();
  X509_NAME *name = certificate ? X509_get_subject_name(certificate) : NULL;
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, names);
  const int done =
      made && name && extension && X509_set_version(certificate, X509_VERSION_3) == 1 &&
      ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1) == 1 &&
      X509_gmtime_adj(X509_getm_notBefore(certificate), -seconds) &&
      X509_gmtime_adj(X509_getm_notAfter(certificate), seconds) &&
      X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"push-enricher", -1, -1, 0) == 1 &&
      X509_set_issuer_name(certificate, name) == 1 && X509_set_pubkey(certificate, made) == 1 &&
      X509_add_ext(certificate, extension, -1) == 1 && X509_sign(certificate, made, EVP_sha256()) > 0;
  X509_EXTENSION_free(extension);
  if (!done) {
    X509_free(certificate);
    EVP_PKEY_free(made);
    return NULL;
  }
  *key = made;
  return certificate;
}

// Makes a server send another, useless certificate with `units` organizational units of one letter in its name: 12 bytes each. 0 on an error.
static inline int openssl_add_certificate(SSL_CTX *context, int units) {
  EVP_PKEY *key = NULL;
  X509 *certificate = openssl_self_signed("DNS:localhost", 86400, &key);
  int done = certificate != NULL;
  for (int i = 0; done && i < units; i++)
    done = X509_NAME_add_entry_by_txt(
        X509_get_subject_name(certificate), "OU", MBSTRING_ASC, (const unsigned char *)"a", -1, -1, 0);
  done = done && X509_sign(certificate, key, EVP_sha256()) > 0 && SSL_CTX_add_extra_chain_cert(context, certificate);
  if (!done) X509_free(certificate);
  EVP_PKEY_free(key);
  return done;
}

// Adds bytes to a server's ticket. The pointer `size` is their number.
static inline int openssl_fill_ticket(SSL *tls, void *size) {
  void *filling = calloc(1, (size_t)size);
  const int done = filling && SSL_SESSION_set1_ticket_appdata(SSL_get_session(tls), filling, (size_t)size);
  free(filling);
  return done;
}

// Makes the tickets of a server `size` bytes long plus a few hundred, at most 65,000. The server sends none by itself. 0 on an error.
static inline int openssl_use_long_tickets(SSL_CTX *context, int size) {
  return SSL_CTX_set_num_tickets(context, 0) &&
         SSL_CTX_set_session_ticket_cb(context, openssl_fill_ticket, NULL, (void *)(intptr_t)size);
}

// Makes a server ask for an optional certificate of one of `count` authorities without a name: 4 bytes each. 0 on an error.
static inline int openssl_ask_for_certificate(SSL_CTX *context, int count) {
  STACK_OF(X509_NAME) *names = sk_X509_NAME_new_null();
  int done = names != NULL;
  for (int i = 0; done && i < count; i++) {
    X509_NAME *name = X509_NAME_new();
    // Encoded here, because the name keeps its first encoding, and connections on several threads share the name.
    done = name && i2d_X509_NAME(name, NULL) > 0 && sk_X509_NAME_push(names, name) > 0;
    if (!done) X509_NAME_free(name);
  }
  if (!done) {
    sk_X509_NAME_pop_free(names, X509_NAME_free);
    return 0;
  }
  SSL_CTX_set_client_CA_list(context, names);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
  return 1;
}

// Makes a server exchange keys only in a finite field of 2048 bits (RFC 7919). 0 on an error. Options of SSL_CTX are macros.
static inline int openssl_use_finite_field(SSL_CTX *context) { return SSL_CTX_set1_groups_list(context, "ffdhe2048") == 1; }

// Frees data of a server that nobody needs, whenever OpenSSL returns from a part of the handshake: the certificates after its own, which are
// checked by then and take twelve times their length, and the list of authorities whose certificates it accepts. Otherwise both stay as long as
// the connection. OpenSSL 3.0 still needs the first certificate (tls_post_process_server_certificate in ssl/statem/statem_clnt.c).
static inline void openssl_shed(const SSL *ssl, int where, int result) {
  (void)result;
  if (!(where & SSL_CB_EXIT)) return;
  STACK_OF(X509) *chains[] = {SSL_get_peer_cert_chain(ssl), SSL_get0_verified_chain(ssl)};
  for (int i = 0; i < 2; i++)
    while (sk_X509_num(chains[i]) > 1) X509_free(sk_X509_pop(chains[i]));
  STACK_OF(X509_NAME) *authorities = SSL_get_client_CA_list(ssl);
  while (sk_X509_NAME_num(authorities) > 0) X509_NAME_free(sk_X509_NAME_pop(authorities));
  // Also frees the list's array of eight bytes per name. A name itself can be shorter.
  if (authorities) sk_X509_NAME_reserve(authorities, 0);
}

// Makes a connection refuse work that costs us much and a server nothing: more handshakes, and Diffie-Hellman without elliptic curves, in which a
// server may choose a group of 10,000 bits, which takes a second. App Transport Security refuses it too. 0 on an error.
static inline int openssl_save_work(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
  return SSL_CTX_set_cipher_list(context, "DEFAULT:!kDHE:!kRSA:!kPSK:!kSRP") == 1 &&
         SSL_CTX_set1_groups_list(context, "X25519:P-256:P-384:P-521") == 1;
}

// Frees the buffers of an idle connection, sends at most `bytes` at once (512 to 16384), and accepts at most `certificates` bytes each for a
// server's certificates and its list of authorities. Frees both once they are not needed. 0 on an error.
static inline int openssl_save_memory(SSL_CTX *context, long bytes, long certificates) {
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_max_cert_list(context, certificates);
  SSL_CTX_set_info_callback(context, openssl_shed);
  return SSL_CTX_set_max_send_fragment(context, bytes) == 1;
}
