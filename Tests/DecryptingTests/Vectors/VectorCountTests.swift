import Testing

/// Checks that all vectors are read, because a missing file would be a test without cases.
@Suite struct VectorCountTests {
  @Test func allAreRead() {
    let counts: [String: Int] = [
      "rfc8188_rfc8291": RecordsVectorTests.examples.count,
      "ecec_aes128gcm_decrypt": RecordsVectorTests.messages.count,
      "matrix_attachment_v2": MatrixVectorTests.vectors?.tests.count ?? 0,
      "matrix_attachment_v2, bad": MatrixVectorTests.vectors?.must_reject.count ?? 0,
      "rfc7520": JWEVectorTests.examples.count,
      "json_web_encryption_test": JWEVectorTests.messages.count,
      "aes_gcm_test": AEADVectorTests.gcm.count,
      "a128cbc_hs256_test": AEADVectorTests.cbc.count,
      "ecdh_secp256r1_ecpoint_test": AgreementVectorTests.vectors.count,
      "hkdf_sha256_test": DerivationVectorTests.vectors.count,
    ]
    let expected: [String: Int] = [
      "rfc8188_rfc8291": 3, "ecec_aes128gcm_decrypt": 17, "matrix_attachment_v2": 4,
      "matrix_attachment_v2, bad": 1, "rfc7520": 2, "json_web_encryption_test": 139, "aes_gcm_test": 316,
      "a128cbc_hs256_test": 94, "ecdh_secp256r1_ecpoint_test": 355, "hkdf_sha256_test": 86,
    ]
    #expect(counts == expected)
  }
}
