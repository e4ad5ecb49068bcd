package io.github.stablecut.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The script {@code ./stablecut}, as far as it needs no program. */
final class ScriptTest {
  private static final Path SCRIPT = Path.of("..", "stablecut").toAbsolutePath().normalize();

  private final StringBuilder err = new StringBuilder();

  private int run(String... args) throws Exception {
    Process process =
        new ProcessBuilder(
                Stream.concat(Stream.of("bash", SCRIPT.toString()), Stream.of(args)).toList())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    err.setLength(0);
    err.append(new String(process.getErrorStream().readAllBytes(), UTF_8));
    return process.waitFor();
  }

  @Test
  void aCommandThatIsNotThereIsNamed() throws Exception {
    for (List<String> words :
        List.of(
            List.of("sreve"),
            List.of("cluster"),
            List.of("cluster", "stauts"),
            List.of("journal"),
            List.of("journal", "show"))) {
      assertThat(run(words.toArray(String[]::new))).isEqualTo(2);
      assertThat(err)
          .startsWith("stablecut: there is no command \"" + String.join(" ", words) + "\"")
          .contains("usage: ./stablecut COMMAND");
    }
  }

  @Test
  void helpIsNoMistake() throws Exception {
    assertThat(run("--help")).isZero();
    assertThat(run("cluster", "--help")).isZero();
    assertThat(err).isEmpty();
    assertThat(run()).isEqualTo(2);
  }
}
