package io.github.stablecut.cluster.internal.admin;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import io.github.stablecut.file.PrivateFiles;
import io.github.stablecut.internal.recovery.StoreDirectory;
import io.github.stablecut.log.Log;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.slf4j.Logger;

/**
 * The file in a store's directory that names the server's admin port. Immutable.
 *
 * <p>The file has a line with the URL and a line with a random key in hexadecimal, and only the
 * directory's owner can read it. Commands use it when they find the directory in use. A killed
 * server leaves the file behind, and another process may then listen on its port. So a command
 * first makes the server prove that it knows the key and has the directory open, and only then
 * sends confidential data.
 */
public final class AdminPortFile {
  /**
   * The path of the proof. The parameter {@code challenge} has at most {@link
   * #MAX_CHALLENGE_LENGTH} characters.
   */
  static final String PATH = "/api/v1/owner";

  private static final Logger LOG = Log.of(AdminPortFile.class);
  private static final String ALGORITHM = "HmacSHA256";
  private static final int KEY_BYTES = 32;
  private static final int MAX_CHALLENGE_LENGTH = 64;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final URI url;
  private final String key;

  private AdminPortFile(URI url, String key) {
    this.url = url;
    this.key = key;
  }

  /** Creates the content for a port, with a new key; does not write it. */
  public static AdminPortFile of(InetSocketAddress port) {
    String host =
        port.getAddress().isAnyLocalAddress() ? "127.0.0.1" : port.getAddress().getHostAddress();
    String url =
        "http://%s:%d".formatted(host.contains(":") ? "[" + host + "]" : host, port.getPort());
    return new AdminPortFile(URI.create(url), random());
  }

  private static String random() {
    byte[] bytes = new byte[KEY_BYTES];
    RANDOM.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /** Writes the file. A failure is only logged, because nothing depends on the file. */
  public void write(Path directory) {
    try {
      delete(directory);
      try (FileChannel file =
          PrivateFiles.open(directory.resolve(StoreDirectory.OPERATORS), CREATE, WRITE)) {
        String text = url + "\n" + key + "\n";
        file.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
      }
    } catch (IOException e) {
      LOG.warn(
          "can't write the file with the admin port's URL: commands on this directory need --url",
          e);
    }
  }

  /** Deletes the file. */
  public static void delete(Path directory) {
    try {
      Files.deleteIfExists(directory.resolve(StoreDirectory.OPERATORS));
    } catch (IOException e) {
      LOG.debug("can't delete the file with the admin port's URL", e);
    }
  }

  /** Reads the file; empty if it is missing or invalid. */
  public static Optional<AdminPortFile> read(Path directory) throws IOException {
    try {
      List<String> lines = Files.readAllLines(directory.resolve(StoreDirectory.OPERATORS));
      boolean isValid =
          lines.size() == 2
              && lines.get(0).startsWith("http://")
              && lines.get(1).length() == 2 * KEY_BYTES;
      return isValid
          ? Optional.of(new AdminPortFile(URI.create(lines.get(0)), lines.get(1)))
          : Optional.empty();
    } catch (NoSuchFileException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** The URL of the port. */
  public URI url() {
    return url;
  }

  /** A random challenge for the server. */
  public static String challenge() {
    return random();
  }

  /** The path and query that request the proof for a challenge. */
  public static String path(String challenge) {
    return PATH + "?challenge=" + challenge;
  }

  /**
   * The proof that the server has written this file and has the directory open: an HMAC over the
   * challenge and the directory.
   *
   * @param directory the directory as the server knows it
   * @param challenge at most 64 letters and digits
   * @throws IllegalArgumentException if the challenge is anything else
   */
  String proof(Path directory, String challenge) throws IOException {
    if (!challenge.matches("[0-9a-zA-Z]{1," + MAX_CHALLENGE_LENGTH + "}")) {
      throw new IllegalArgumentException(
          "the parameter challenge has to be 1 to " + MAX_CHALLENGE_LENGTH + " letters and digits");
    }
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(HexFormat.of().parseHex(key), ALGORITHM));
      String message = "stablecut " + challenge + " " + directory.toRealPath();
      return HexFormat.of().formatHex(mac.doFinal(message.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has " + ALGORITHM, e);
    }
  }

  /** Whether an answer is the proof. Takes the same time for right and wrong answers. */
  public boolean isProven(Path directory, String challenge, String answer) throws IOException {
    return MessageDigest.isEqual(
        proof(directory, challenge).getBytes(StandardCharsets.UTF_8),
        answer.getBytes(StandardCharsets.UTF_8));
  }
}
