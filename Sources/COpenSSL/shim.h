#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/obj_mac.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

// An OSSL_PARAM keeps a pointer to its name, which has to be a literal in C: one function per list of parameters.

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

static inline int openssl_hkdf_sha256(
    EVP_KDF_CTX *context, const void *secret, size_t secret_count, const void *salt, size_t salt_count,
    const void *info, size_t info_count, void *output, size_t output_count) {
  const OSSL_PARAM parameters[] = {
      openssl_sha256(), openssl_octets(OSSL_KDF_PARAM_KEY, secret, secret_count),
      openssl_octets(OSSL_KDF_PARAM_SALT, salt, salt_count), openssl_octets(OSSL_KDF_PARAM_INFO, info, info_count),
      OSSL_PARAM_construct_end()};
  return EVP_KDF_derive(context, (unsigned char *)output, output_count, parameters);
}

static inline int openssl_sskdf_sha256(
    EVP_KDF_CTX *context, const void *secret, size_t secret_count, const void *info, size_t info_count, void *output,
    size_t output_count) {
  const OSSL_PARAM parameters[] = {
      openssl_sha256(), openssl_octets(OSSL_KDF_PARAM_KEY, secret, secret_count),
      openssl_octets(OSSL_KDF_PARAM_INFO, info, info_count), OSSL_PARAM_construct_end()};
  return EVP_KDF_derive(context, (unsigned char *)output, output_count, parameters);
}

// A key on P-256 from its public point (65 octets) and, if it is a private one, its scalar (32 octets, else NULL).
// Returns NULL for whatever OpenSSL does not take.
static inline EVP_PKEY *openssl_p256_key(const void *scalar, const void *point) {
  EVP_PKEY *key = NULL;
  OSSL_PARAM *parameters = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  // A secure number, because parameters made from one are wiped when they are freed.
  BIGNUM *number = BN_secure_new();
  if (context && builder && number && (!scalar || BN_bin2bn((const unsigned char *)scalar, 32, number)) &&
      OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) &&
      OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, 65) &&
      (!scalar || OSSL_PARAM_BLD_push_BN_pad(builder, OSSL_PKEY_PARAM_PRIV_KEY, number, 32)) &&
      (parameters = OSSL_PARAM_BLD_to_param(builder)) && EVP_PKEY_fromdata_init(context) == 1)
    EVP_PKEY_fromdata(context, &key, scalar ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, parameters);
  OSSL_PARAM_free(parameters);
  BN_clear_free(number);
  OSSL_PARAM_BLD_free(builder);
  EVP_PKEY_CTX_free(context);
  return key;
}

// The public point (65 octets, uncompressed) of a scalar (32 octets); 0 if that is not from 1 to the order less one.
// Not through EVP, which takes a scalar alone but does not compute its point.
static inline int openssl_p256_point(const void *scalar, void *point) {
  int written = 0;
  EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
  EC_POINT *product = group ? EC_POINT_new(group) : NULL;
  BIGNUM *number = BN_secure_new();
  if (product && number && BN_bin2bn((const unsigned char *)scalar, 32, number)) {
    BN_set_flags(number, BN_FLG_CONSTTIME);
    if (!BN_is_zero(number) && BN_cmp(number, EC_GROUP_get0_order(group)) < 0 &&
        EC_POINT_mul(group, product, number, NULL, NULL, NULL) == 1)
      written = EC_POINT_point2oct(
                    group, product, POINT_CONVERSION_UNCOMPRESSED, (unsigned char *)point, 65, NULL) == 65;
  }
  BN_clear_free(number);
  EC_POINT_free(product);
  EC_GROUP_free(group);
  return written;
}

// Options of SSL_CTX are macros around SSL_CTX_ctrl.

// Buffers of an idle connection are freed (SSL_CTX_set_mode(3)), and none is made for sending more than `bytes` at once
// (SSL_CTX_set_max_send_fragment(3), 512 to 16384).
static inline int openssl_save_memory(SSL_CTX *context, long bytes) {
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  return SSL_CTX_set_max_send_fragment(context, bytes) == 1;
}

// A place for a number of one's own in every SSL; negative when there is none left. It costs nothing to free.
static inline int openssl_new_place(void) { return SSL_get_ex_new_index(0, NULL, NULL, NULL, NULL); }
