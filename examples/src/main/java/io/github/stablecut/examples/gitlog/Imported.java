package io.github.stablecut.examples.gitlog;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The progress of an import. Immutable.
 *
 * @param number of commits in the store
 * @param hash of the last of them; empty if there is none
 * @param date of the last of them
 * @param chain a digest of all their hashes in order, which reveals a log with other commits
 */
record Imported(long number, String hash, String date, String chain) {
  static final Imported NOTHING = new Imported(0, "", "", "");

  /** As lines of text. */
  static final Codec<Imported> CODEC =
      new Codec<>() {
        @Override
        public Bytes encode(Imported value) {
          return Bytes.utf8(
              String.join("\n", "" + value.number, value.hash, value.date, value.chain));
        }

        @Override
        public Imported decode(Bytes bytes) {
          String[] lines = bytes.toUtf8().split("\n", -1);
          return new Imported(Long.parseLong(lines[0]), lines[1], lines[2], lines[3]);
        }
      };

  /** The progress after one more commit. */
  Imported next(Commit commit) {
    return new Imported(number + 1, commit.hash(), commit.date(), digest(chain + commit.hash()));
  }

  private static String digest(String text) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(US_ASCII));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK supports SHA-256", e);
    }
  }
}
