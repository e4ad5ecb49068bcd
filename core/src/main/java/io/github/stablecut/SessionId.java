package io.github.stablecut;

import io.github.stablecut.crdt.Bytes;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a session: when it was opened, and 128 random bits. Whoever knows it can use the
 * session, and nobody can guess it. A server accepts only names that it, or another node of its
 * cluster, has issued and signed. Immutable.
 *
 * @param openedMillis milliseconds since 1970
 * @param high 64 random bits
 * @param low 64 more
 * @param client a number that stands for the address of the client that a server has issued the
 *     name to; 0 if a store in this process has opened the session
 * @param signature 16 bytes, by which servers recognize names that they have issued; empty if a
 *     store in this process has opened the session
 */
public record SessionId(long openedMillis, long high, long low, int client, Bytes signature) {
  /** The length of a signature. */
  public static final int SIGNATURE_BYTES = 16;

  private static final Pattern TEXT =
      Pattern.compile(
          "([0-9a-f]{16})-([0-9a-f]{16})([0-9a-f]{16})(?:-([0-9a-f]{8})-([0-9a-f]{32}))?");

  /** Created once: each new one would collect its own seed. */
  private static final SecureRandom RANDOM = new SecureRandom();

  /** Checks the length of the signature. */
  public SessionId {
    Objects.requireNonNull(signature, "signature");
    if (signature.length() != 0 && signature.length() != SIGNATURE_BYTES) {
      throw new IllegalArgumentException(
          "a signature has %d bytes, not %d".formatted(SIGNATURE_BYTES, signature.length()));
    }
  }

  /** A new name, for a store in this process. */
  public static SessionId create(Instant opened) {
    return new SessionId(
        opened.toEpochMilli(), RANDOM.nextLong(), RANDOM.nextLong(), 0, Bytes.EMPTY);
  }

  /** The same name, issued and signed by a server. */
  public SessionId issued(int to, Bytes signedWith) {
    return new SessionId(openedMillis, high, low, to, signedWith);
  }

  /**
   * The name that {@link #toString} wrote.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static SessionId parse(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "a session's name is 16 hexadecimal digits, a hyphen and 32 more, and of a server's two"
              + " more groups of 8 and 32, not "
              + text);
    }
    boolean isIssued = parts.group(4) != null;
    return new SessionId(
        HexFormat.fromHexDigitsToLong(parts.group(1)),
        HexFormat.fromHexDigitsToLong(parts.group(2)),
        HexFormat.fromHexDigitsToLong(parts.group(3)),
        isIssued ? HexFormat.fromHexDigits(parts.group(4)) : 0,
        isIssued ? Bytes.wrap(HexFormat.of().parseHex(parts.group(5))) : Bytes.EMPTY);
  }

  /** The name, to be {@linkplain #parse parsed} later. */
  @Override
  public String toString() {
    String opened = "%016x-%016x%016x".formatted(openedMillis, high, low);
    return signature.length() == 0
        ? opened
        : opened + "-%08x-%s".formatted(client, HexFormat.of().formatHex(signature.toArray()));
  }
}
