package io.github.stablecut.cluster.internal.admin;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * What a file takes on the disk, which is less than its length if it has holes, as a journal
 * segment after a kill has. Java does not say; POSIX's {@code du} does.
 */
final class AllocatedBytes {
  private static final int MAX_ANSWER_BYTES = 1 << 16;

  private AllocatedBytes() {}

  /** The bytes, in whole KiB; empty where there is no {@code du}. */
  static OptionalLong of(Path file) {
    try {
      Process du =
          new ProcessBuilder("du", "-k", "--", file.toAbsolutePath().toString())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String answer;
      try (InputStream out = du.getInputStream()) {
        answer = new String(out.readNBytes(MAX_ANSWER_BYTES), StandardCharsets.UTF_8);
      }
      String number = answer.replaceAll("(?s)\\s.*", "");
      return du.waitFor() == 0 && number.matches("[0-9]{1,15}")
          ? OptionalLong.of(Long.parseLong(number) << 10)
          : OptionalLong.empty();
    } catch (IOException e) {
      return OptionalLong.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return OptionalLong.empty();
    }
  }
}
