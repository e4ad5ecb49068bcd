package io.github.stablecut.cluster.internal.pem;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads certificates and keys from PEM files. */
public final class PemFiles {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");

  private PemFiles() {}

  /**
   * The certificates in a file, in order; at least one.
   *
   * @throws GeneralSecurityException if it has none
   */
  public static List<X509Certificate> certificates(Path file)
      throws IOException, GeneralSecurityException {
    try (InputStream in = Files.newInputStream(file)) {
      List<X509Certificate> all =
          CertificateFactory.getInstance("X.509").generateCertificates(in).stream()
              .map(X509Certificate.class::cast)
              .toList();
      if (all.isEmpty()) {
        throw new CertificateException("it has no certificate");
      }
      return all;
    } catch (CertificateException e) {
      throw new CertificateException("%s: %s".formatted(file, e.getMessage()), e);
    }
  }

  /**
   * The private key in a file.
   *
   * @param algorithm of the key, such as {@code RSA}
   * @throws GeneralSecurityException if it has no such key
   */
  public static PrivateKey key(Path file, String algorithm)
      throws IOException, GeneralSecurityException {
    Matcher pem = KEY.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
    if (!pem.find()) {
      throw new InvalidKeySpecException("%s has no PKCS#8 key without a password".formatted(file));
    }
    try {
      return KeyFactory.getInstance(algorithm)
          .generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem.group(1))));
    } catch (IllegalArgumentException e) {
      throw new InvalidKeySpecException("%s has no key in Base64".formatted(file), e);
    } catch (InvalidKeySpecException e) {
      throw new InvalidKeySpecException("%s: %s".formatted(file, e.getMessage()), e);
    }
  }
}
