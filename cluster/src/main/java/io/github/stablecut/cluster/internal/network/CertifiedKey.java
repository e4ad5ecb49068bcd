package io.github.stablecut.cluster.internal.network;

import io.github.stablecut.cluster.SettingsException;
import io.github.stablecut.cluster.internal.pem.PemFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.util.Map;

/**
 * Checks that a private key belongs to a certificate. TLS itself notices only during handshakes,
 * when every client gets an error that it can't explain.
 */
final class CertifiedKey {
  /** The signature algorithms of certificates' keys. */
  private static final Map<String, String> SIGNATURES =
      Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "DSA", "SHA256withDSA");

  private static final byte[] SIGNED = "stablecut".getBytes(StandardCharsets.US_ASCII);

  private CertifiedKey() {}

  /**
   * Refuses a key of another certificate.
   *
   * @param certificate a PEM file, whose first certificate is meant
   * @param key a PEM file
   * @throws SettingsException if the key does not belong to the certificate
   */
  static void check(Path certificate, Path key) throws GeneralSecurityException, IOException {
    X509Certificate certified = PemFiles.certificates(certificate).get(0);
    if (!belongs(certified.getPublicKey(), key)) {
      throw new SettingsException(
          "the key %s does not belong to the certificate %s, which is of %s: name the key with which that certificate was requested, or the certificate that was issued for this key"
              .formatted(key, certificate, certified.getSubjectX500Principal()));
    }
  }

  private static boolean belongs(PublicKey certified, Path file)
      throws GeneralSecurityException, IOException {
    String algorithm = certified.getAlgorithm();
    Signature signature = Signature.getInstance(SIGNATURES.getOrDefault(algorithm, algorithm));
    try {
      signature.initSign(PemFiles.key(file, algorithm));
    } catch (InvalidKeyException | InvalidKeySpecException e) {
      return false; // a key of another algorithm: TLS could read it
    }
    signature.update(SIGNED);
    byte[] signed = signature.sign();
    signature.initVerify(certified);
    signature.update(SIGNED);
    return signature.verify(signed);
  }
}
