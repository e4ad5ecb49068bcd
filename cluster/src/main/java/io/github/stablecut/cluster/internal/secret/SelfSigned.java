package io.github.stablecut.cluster.internal.secret;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;

/**
 * Creates self-signed certificates (RFC 5280, version 1) that never expire. They only carry the
 * public key through TLS: nodes compare whole certificates and interpret no field.
 */
final class SelfSigned {
  private static final int INTEGER = 0x02;
  private static final int BIT_STRING = 0x03;
  private static final int UTF8 = 0x0c;
  private static final int UTC_TIME = 0x17;
  private static final int GENERALIZED_TIME = 0x18;
  private static final int SEQUENCE = 0x30;
  private static final int SET = 0x31;

  /** 1.2.840.10045.4.3.2. */
  private static final byte[] ECDSA_WITH_SHA256 = {
    0x06, 0x08, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x04, 0x03, 0x02
  };

  /** 2.5.4.3. */
  private static final byte[] COMMON_NAME = {0x06, 0x03, 0x55, 0x04, 0x03};

  private static final int SERIAL_BITS = 127;

  private SelfSigned() {}

  /**
   * Creates a certificate.
   *
   * @param keys a key pair of an elliptic curve
   */
  static X509Certificate of(KeyPair keys, SecureRandom random) throws GeneralSecurityException {
    byte[] algorithm = der(SEQUENCE, ECDSA_WITH_SHA256);
    byte[] name =
        der(
            SEQUENCE,
            der(
                SET,
                der(SEQUENCE, COMMON_NAME, der(UTF8, "Stablecut cluster".getBytes(US_ASCII)))));
    byte[] validity =
        der(
            SEQUENCE,
            der(UTC_TIME, "200101000000Z".getBytes(US_ASCII)),
            der(GENERALIZED_TIME, "99991231235959Z".getBytes(US_ASCII)));
    byte[] serial = new BigInteger(SERIAL_BITS, random).add(BigInteger.ONE).toByteArray();
    byte[] signed =
        der(
            SEQUENCE,
            der(INTEGER, serial),
            algorithm,
            name,
            validity,
            name,
            keys.getPublic().getEncoded());
    Signature signature = Signature.getInstance("SHA256withECDSA");
    signature.initSign(keys.getPrivate(), random);
    signature.update(signed);
    byte[] certificate =
        der(SEQUENCE, signed, algorithm, der(BIT_STRING, new byte[1], signature.sign()));
    return (X509Certificate)
        CertificateFactory.getInstance("X.509")
            .generateCertificate(new ByteArrayInputStream(certificate));
  }

  /** A value in the distinguished encoding of ASN.1 (X.690). */
  private static byte[] der(int tag, byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    if (length < 0x80) {
      out.write(length);
    } else if (length < 0x100) {
      out.write(0x81);
      out.write(length);
    } else {
      out.write(0x82);
      out.write(length >>> Byte.SIZE);
      out.write(length);
    }
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }
}
