package io.github.stablecut.cluster.internal.secret;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.file.PrivateFiles;
import io.github.stablecut.internal.recovery.StoreDirectory;
import io.github.stablecut.log.Log;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.slf4j.Logger;

/**
 * The key that authenticates the session ids that servers issue. Immutable.
 *
 * <p>The nodes of a cluster derive it from the secret that they share. Any other server has a key
 * in its directory, in the file {@link StoreDirectory#SESSIONS}: 64 hexadecimal digits and a line
 * feed, readable by its owner only.
 */
public final class SigningKey {
  private static final Logger LOG = Log.of(SigningKey.class);
  private static final String ALGORITHM = "HmacSHA256";
  private static final String PURPOSE = "stablecut sessions";
  private static final int KEY_BYTES = 32;
  private static final Pattern CONTENT = Pattern.compile("[0-9a-f]{64}\n");

  private final SecretKeySpec key;

  private SigningKey(byte[] bytes) {
    this.key = new SecretKeySpec(bytes, ALGORITHM);
  }

  /** The key of a cluster: the same for all nodes with the same secret. */
  public static SigningKey of(ClusterSecret secret) {
    SigningKey token = new SigningKey(HexFormat.of().parseHex(secret.token()));
    return new SigningKey(token.sign(ByteBuffer.wrap(PURPOSE.getBytes(US_ASCII))));
  }

  /** A random key that is not stored. */
  public static SigningKey random() {
    byte[] bytes = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(bytes);
    return new SigningKey(bytes);
  }

  /**
   * The key of a server that is not a cluster node. A missing or damaged key is created again;
   * session ids of the earlier one are then invalid.
   *
   * @param directory the directory of the open store
   * @throws StoreIoException if the key can't be read or written
   */
  public static SigningKey in(Path directory) {
    Path file = directory.resolve(StoreDirectory.SESSIONS);
    try {
      if (Files.exists(file)) {
        PrivateFiles.restrict(file);
        String content = Files.readString(file, US_ASCII);
        if (CONTENT.matcher(content).matches()) {
          return new SigningKey(HexFormat.of().parseHex(content.strip()));
        }
        LOG.warn(
            "{} is damaged and is replaced by a new key: clients have to open their sessions again",
            file);
        Files.delete(file);
      }
    } catch (IOException e) {
      throw failed(file, e);
    }
    SigningKey fresh = random();
    fresh.keepIn(directory);
    return fresh;
  }

  /**
   * Durably writes the key to its file, unless the file exists.
   *
   * @throws StoreIoException if that fails
   */
  public void keepIn(Path directory) {
    Path file = directory.resolve(StoreDirectory.SESSIONS);
    try {
      if (!Files.exists(file)) {
        String content = HexFormat.of().formatHex(key.getEncoded()) + "\n";
        PrivateFiles.replace(directory, StoreDirectory.SESSIONS, content);
      }
    } catch (IOException e) {
      throw failed(file, e);
    }
  }

  private static StoreIoException failed(Path file, IOException e) {
    return new StoreIoException(
        "can't read or write the key of session ids in %s: %s; remove the cause, and restart the server"
            .formatted(file, IoReason.of(e)),
        e);
  }

  /** The HMAC-SHA256 of a message: 32 bytes. */
  public byte[] sign(ByteBuffer message) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update(message);
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has " + ALGORITHM, e);
    }
  }

  /** Describes the key without its bytes. */
  @Override
  public String toString() {
    return "SigningKey";
  }
}
