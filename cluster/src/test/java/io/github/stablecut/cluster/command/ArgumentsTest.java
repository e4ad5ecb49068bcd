package io.github.stablecut.cluster.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Arguments that the JVM could not decode are refused. */
final class ArgumentsTest {
  @TempDir private Path directory;

  private Path raw(byte[] bytes) throws IOException {
    return Files.write(directory.resolve("cmdline"), bytes);
  }

  @Test
  void refusesCharactersThatTheLocaleLacksAndNamesTheRemedy() throws IOException {
    Path raw = raw("update\0gr\u00f6\u00dfe".getBytes(UTF_8));

    assertThat(Arguments.refusal(raw, "ANSI_X3.4-1968", "update", "gr\ufffd\ufffde").orElseThrow())
        .contains("gr\ufffd\ufffde", "ANSI_X3.4-1968", "LC_ALL", "C.UTF-8");
    assertThat(Arguments.refusal(raw, "ANSI_X3.4-1968", "update", "key")).isEmpty();
  }

  @Test
  void refusesBytesThatAreNotUtf8() throws IOException {
    Path raw = raw(new byte[] {'k', (byte) 0xff});

    assertThat(Arguments.refusal(raw, "UTF-8", "k\ufffd")).isPresent();
  }

  @Test
  void acceptsATypedReplacementCharacter() throws IOException {
    Path raw = raw("get\0k\ufffd".getBytes(UTF_8));

    assertThat(Arguments.refusal(raw, "UTF-8", "k\ufffd")).isEmpty();
    assertThat(Arguments.refusal(raw, "UTF-8", "gr\u00f6\u00dfe")).isEmpty();
  }
}
