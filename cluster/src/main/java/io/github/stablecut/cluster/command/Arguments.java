package io.github.stablecut.cluster.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The arguments of this process, as the JVM has decoded them. It puts U+FFFD for what the locale
 * has no character for, so that different texts become the same one. Immutable.
 */
final class Arguments {
  private static final String REPLACED = "\ufffd";

  /** What the process was started with, where the system tells it. */
  private static final Path RAW = Path.of("/proc/self/cmdline");

  private Arguments() {}

  /** Why arguments can't be taken; empty if they can. */
  static Optional<String> refusal(String... args) {
    return refusal(RAW, System.getProperty("sun.jnu.encoding", ""), args);
  }

  /** As {@link #refusal(String...)}, of a process that was started with what a file holds. */
  static Optional<String> refusal(Path raw, String encoding, String... args) {
    for (String argument : args) {
      if (argument.contains(REPLACED) && !isMeant(raw, encoding)) {
        return Optional.of(
            "the argument \"%s\" can't be read as %s, the encoding of the locale: set LC_ALL to one of UTF-8 that is installed (locale -a lists them), such as C.UTF-8, and type it as UTF-8"
                .formatted(argument, encoding));
      }
    }
    return Optional.empty();
  }

  /** Whether U+FFFD itself was typed: all that the process was started with is UTF-8. */
  private static boolean isMeant(Path raw, String encoding) {
    if (!encoding.equals(UTF_8.name())) {
      return false;
    }
    try {
      var unused = UTF_8.newDecoder().decode(ByteBuffer.wrap(Files.readAllBytes(raw)));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
