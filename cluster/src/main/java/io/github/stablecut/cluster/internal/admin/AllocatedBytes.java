package io.github.stablecut.cluster.internal.admin;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * The disk space that a file occupies, as POSIX's {@code du} reports it; Java has no such method.
 * It is less than the file's length if the file has holes, as a journal segment has after a crash.
 */
final class AllocatedBytes {
  private static final int MAX_ANSWER_BYTES = 1 << 16;

  private AllocatedBytes() {}

  /** The bytes, a multiple of 1 KiB; empty without {@code du}. */
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
