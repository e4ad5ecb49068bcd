package io.github.stablecut.cluster.internal.secret;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.cluster.SettingsException;
import io.github.stablecut.error.IoReason;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The secret that the nodes of a cluster share. It authenticates nodes to each other, and changes
 * through the admin port. Immutable.
 *
 * <p>The file is text, readable by its owner only. A line {@code token: HEX} has the admin token.
 * Then follow, in PEM, the certificate and the private key that every node uses towards the others
 * (an elliptic curve, PKCS#8, no password).
 *
 * @param token the admin token
 */
public record ClusterSecret(X509Certificate certificate, PrivateKey key, String token) {
  private static final String COMMENT =
      "# The secret of a Stablecut cluster: every reader of this file has full control. Copy it to the machines of all nodes.\n";
  private static final Pattern TOKEN = Pattern.compile("(?m)^token: ([0-9a-f]{64})$");
  private static final int TOKEN_BYTES = 32;
  private static final Set<PosixFilePermission> OWNER_ONLY =
      EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
  private static final Set<PosixFilePermission> OWNER_ONLY_FOLDER =
      PosixFilePermissions.fromString("rwx------");

  /** The user's file, the default for clusters whose settings name no other. */
  public static Path userFile() {
    return Path.of(System.getProperty("user.home"), ".stablecut", "cluster.secret");
  }

  /**
   * Reads the secret from a file, which is created if missing. Several processes may do so at once.
   *
   * @throws SettingsException if the file can't be read or created, is readable by others, or has
   *     no secret
   */
  public static ClusterSecret of(Path file) {
    try {
      if (!Files.exists(file)) {
        create(file);
      }
      return read(file);
    } catch (IOException e) {
      throw new SettingsException(
          "can't read or create the cluster's secret in %s: %s; remove the cause, or set cluster.secret to another file"
              .formatted(file, IoReason.of(e)),
          e);
    }
  }

  /**
   * Reads the secret from a file of a running cluster or server.
   *
   * @throws SettingsException if there is no such file, or as for {@link #of}
   */
  @CanIgnoreReturnValue
  public static ClusterSecret existing(Path file) {
    if (!Files.exists(file)) {
      throw new SettingsException(
          "there is no file %s with the cluster's secret, which has the admin token: run the command as the server's user, or copy that user's ~/.stablecut/cluster.secret (or the file named by cluster.secret) to this machine and name it with --secret FILE"
              .formatted(file));
    }
    return of(file);
  }

  private static void create(Path file) throws IOException {
    Path folder = file.toAbsolutePath().resolveSibling("");
    if (!Files.exists(folder)) {
      Files.createDirectories(folder, permissions(folder, OWNER_ONLY_FOLDER));
    }
    Path written =
        Files.createTempFile(folder, ".cluster-secret-", "", permissions(folder, OWNER_ONLY));
    try {
      Files.writeString(written, text(), US_ASCII);
      // The first process to link its file wins; the others read that file.
      Files.createLink(file, written);
    } catch (FileAlreadyExistsException e) {
      // Another process was first.
    } finally {
      Files.delete(written);
    }
  }

  private static FileAttribute<?>[] permissions(Path folder, Set<PosixFilePermission> permissions) {
    return folder.getFileSystem().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
        : new FileAttribute<?>[0];
  }

  private static String text() {
    SecureRandom random = new SecureRandom();
    byte[] token = new byte[TOKEN_BYTES];
    random.nextBytes(token);
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"), random);
      KeyPair keys = generator.generateKeyPair();
      return COMMENT
          + "token: "
          + HexFormat.of().formatHex(token)
          + "\n"
          + pem("CERTIFICATE", SelfSigned.of(keys, random).getEncoded())
          + pem("PRIVATE KEY", keys.getPrivate().getEncoded());
    } catch (GeneralSecurityException e) {
      throw new AssertionError("every Java has elliptic curves", e);
    }
  }

  private static String pem(String kind, byte[] bytes) {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, text, kind);
  }

  private static ClusterSecret read(Path file) throws IOException {
    if (Files.getFileStore(file).supportsFileAttributeView("posix")) {
      Set<PosixFilePermission> others =
          EnumSet.copyOf(Files.getPosixFilePermissions(file, new LinkOption[0]));
      others.removeAll(OWNER_ONLY);
      if (!others.isEmpty()) {
        throw new SettingsException(
            "the cluster's secret %s is accessible to others than its owner: run chmod 600 %s, and replace the secret unless you trust everyone who had access"
                .formatted(file, file));
      }
    }
    String text = Files.readString(file, US_ASCII);
    Matcher token = TOKEN.matcher(text);
    try {
      if (!token.find()) {
        throw new GeneralSecurityException("it has no line \"token: ...\"");
      }
      X509Certificate certificate =
          (X509Certificate)
              CertificateFactory.getInstance("X.509")
                  .generateCertificate(new ByteArrayInputStream(section("CERTIFICATE", text)));
      PrivateKey key =
          KeyFactory.getInstance("EC")
              .generatePrivate(new PKCS8EncodedKeySpec(section("PRIVATE KEY", text)));
      return new ClusterSecret(certificate, key, token.group(1));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new SettingsException(
          "%s is not a cluster's secret: %s; copy the file from another node, or delete it to create a new secret"
              .formatted(file, e.getMessage()),
          e);
    }
  }

  private static byte[] section(String kind, String text) throws GeneralSecurityException {
    Matcher found =
        Pattern.compile("-----BEGIN " + kind + "-----([^-]+)-----END " + kind + "-----")
            .matcher(text);
    if (!found.find()) {
      throw new GeneralSecurityException("it has no " + kind);
    }
    return Base64.getMimeDecoder().decode(found.group(1));
  }

  /** Describes the secret without its key and token. */
  @Override
  public String toString() {
    return "ClusterSecret[serial=" + certificate.getSerialNumber() + "]";
  }
}
