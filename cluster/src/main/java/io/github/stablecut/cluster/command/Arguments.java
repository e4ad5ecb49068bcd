package io.github.stablecut.cluster.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Checks the arguments of this process as the JVM has decoded them. The JVM replaces characters
 * that the locale lacks by U+FFFD, so that different texts become equal.
 */
final class Arguments {
  private static final String REPLACED = "\ufffd";

  /** The raw command line of this process, on systems that provide it. */
  private static final Path RAW = Path.of("/proc/self/cmdline");

  private Arguments() {}

  /** Returns the reason why the arguments are refused; empty if they are accepted. */
  static Optional<String> refusal(String... args) {
    return refusal(RAW, System.getProperty("sun.jnu.encoding", ""), args);
  }

  /** Like {@link #refusal(String...)}, with the raw command line from a file. */
  static Optional<String> refusal(Path raw, String encoding, String... args) {
    for (String argument : args) {
      if (argument.contains(REPLACED) && !isTypedLiterally(raw, encoding)) {
        return Optional.of(
            "the argument \"%s\" can't be read as %s, the encoding of the locale: set LC_ALL to an installed UTF-8 locale (locale -a lists them), such as C.UTF-8, and type the argument as UTF-8"
                .formatted(argument, encoding));
      }
    }
    return Optional.empty();
  }

  /** Whether U+FFFD itself was typed: the raw command line is valid UTF-8. */
  private static boolean isTypedLiterally(Path raw, String encoding) {
    if (!encoding.equals(UTF_8.name())) {
      return false;
    }
    try {
      UTF_8.newDecoder().decode(ByteBuffer.wrap(Files.readAllBytes(raw)));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
