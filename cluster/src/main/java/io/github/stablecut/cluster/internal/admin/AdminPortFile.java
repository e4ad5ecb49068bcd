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
 * The file in the directory of a server's store that says where its port for operators is: a line
 * with the URL, and one with a random key in hexadecimal, which only the directory's owner can
 * read. A hint for commands that find the directory in use. A server that was killed leaves it
 * behind, and anybody may listen at its port by then; so whoever reads it has the server prove that
 * it knows the key and has the directory open, before it says anything confidential. Immutable.
 */
public final class AdminPortFile {
  /** Where a server proves it. The parameter {@code challenge} is at most {@link #MAX} letters. */
  static final String PATH = "/api/v1/owner";

  private static final Logger LOG = Log.of(AdminPortFile.class);
  private static final String ALGORITHM = "HmacSHA256";
  private static final int KEY_BYTES = 32;
  private static final int MAX = 64;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final URI url;
  private final String key;

  private AdminPortFile(URI url, String key) {
    this.url = url;
    this.key = key;
  }

  /** Says where the port is, with a new key. Nothing is written yet. */
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

  /** Writes it. A file that can't be written is logged only: nothing depends on it. */
  public void write(Path directory) {
    try {
      delete(directory);
      try (FileChannel file =
          PrivateFiles.open(directory.resolve(StoreDirectory.OPERATORS), CREATE, WRITE)) {
        String text = url + "\n" + key + "\n";
        int unused = file.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
      }
    } catch (IOException e) {
      LOG.warn("commands can't find this server by its directory: they need its URL", e);
    }
  }

  /** Takes it away. */
  public static void delete(Path directory) {
    try {
      boolean unused = Files.deleteIfExists(directory.resolve(StoreDirectory.OPERATORS));
    } catch (IOException e) {
      LOG.debug("the file with the URL of the port for operators is left", e);
    }
  }

  /** What it says, if it is there and says anything. */
  public static Optional<AdminPortFile> read(Path directory) throws IOException {
    try {
      List<String> lines = Files.readAllLines(directory.resolve(StoreDirectory.OPERATORS));
      boolean isWhole =
          lines.size() == 2
              && lines.get(0).startsWith("http://")
              && lines.get(1).length() == 2 * KEY_BYTES;
      return isWhole
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

  /** What a server is asked to prove, never the same. */
  public static String challenge() {
    return random();
  }

  /** The path at which a server is asked to prove it. */
  public static String path(String challenge) {
    return PATH + "?challenge=" + challenge;
  }

  /**
   * What proves that the server has read this file and has the directory open.
   *
   * @param directory there
   * @param challenge what it is asked, at most 64 letters and digits
   * @throws IllegalArgumentException if it is asked something else
   */
  String proof(Path directory, String challenge) throws IOException {
    if (!challenge.matches("[0-9a-zA-Z]{1," + MAX + "}")) {
      throw new IllegalArgumentException(
          "the parameter challenge has to be 1 to " + MAX + " letters and digits");
    }
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(HexFormat.of().parseHex(key), ALGORITHM));
      String said = "stablecut " + challenge + " " + directory.toRealPath();
      return HexFormat.of().formatHex(mac.doFinal(said.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has " + ALGORITHM, e);
    }
  }

  /** Whether an answer is the proof. Takes the same time whatever it says. */
  public boolean isProven(Path directory, String challenge, String answer) throws IOException {
    return MessageDigest.isEqual(
        proof(directory, challenge).getBytes(StandardCharsets.UTF_8),
        answer.getBytes(StandardCharsets.UTF_8));
  }
}
