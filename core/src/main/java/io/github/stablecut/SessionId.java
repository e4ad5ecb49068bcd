package io.github.stablecut;

import io.github.stablecut.crdt.Bytes;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The id of a session: its opening time and 128 random bits. The id is a secret that cannot be
 * guessed: everyone who knows it can use the session. A server accepts only ids that it, or another
 * node of its cluster, has issued and signed. Immutable.
 *
 * @param openedMillis the opening time, in milliseconds since 1970
 * @param high 64 random bits
 * @param low 64 more random bits
 * @param client a number that stands for the address of the client to which a server issued the id;
 *     0 if a store in this process opened the session
 * @param signature 16 bytes, by which servers recognize ids that they issued; empty if a store in
 *     this process opened the session
 */
public record SessionId(long openedMillis, long high, long low, int client, Bytes signature) {
  /** The length of a signature. */
  public static final int SIGNATURE_BYTES = 16;

  private static final Pattern TEXT =
      Pattern.compile(
          "([0-9a-f]{16})-([0-9a-f]{16})([0-9a-f]{16})(?:-([0-9a-f]{8})-([0-9a-f]{32}))?");

  /** Shared, because each new instance would gather its own seed. */
  private static final SecureRandom RANDOM = new SecureRandom();

  /** Checks the length of the signature. */
  public SessionId {
    Objects.requireNonNull(signature, "signature");
    if (signature.length() != 0 && signature.length() != SIGNATURE_BYTES) {
      throw new IllegalArgumentException(
          "a signature needs %d bytes, not %d".formatted(SIGNATURE_BYTES, signature.length()));
    }
  }

  /** Creates an id for a store in this process. */
  public static SessionId create(Instant opened) {
    return new SessionId(
        opened.toEpochMilli(), RANDOM.nextLong(), RANDOM.nextLong(), 0, Bytes.EMPTY);
  }

  /** This id as a server issues it to a client, with the server's signature. */
  public SessionId issued(int newClient, Bytes newSignature) {
    return new SessionId(openedMillis, high, low, newClient, newSignature);
  }

  /**
   * Parses the text that {@link #toString} returned.
   *
   * @throws IllegalArgumentException if the text is not a session id
   */
  public static SessionId parse(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "a session id has the form of 16 and 32 hexadecimal digits, joined by hyphens; ids from"
              + " servers have two more groups, of 8 and 32 digits; this is not one: "
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

  /** The id as text, which {@link #parse} accepts. */
  @Override
  public String toString() {
    String opened = "%016x-%016x%016x".formatted(openedMillis, high, low);
    return signature.length() == 0
        ? opened
        : opened + "-%08x-%s".formatted(client, HexFormat.of().formatHex(signature.toArray()));
  }
}
