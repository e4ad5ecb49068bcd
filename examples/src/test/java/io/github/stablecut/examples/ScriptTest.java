package io.github.stablecut.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The commands of the script {@code stablecut} that need no program. */
final class ScriptTest {
  private static final Path SCRIPT = Path.of("..", "stablecut").toAbsolutePath().normalize();

  private String out = "";
  private String err = "";

  private int run(String... args) throws Exception {
    File printed = File.createTempFile("script", ".out");
    try {
      Process process =
          new ProcessBuilder(
                  Stream.concat(Stream.of("bash", SCRIPT.toString()), Stream.of(args)).toList())
              .redirectOutput(printed)
              .start();
      err = new String(process.getErrorStream().readAllBytes(), UTF_8);
      int code = process.waitFor();
      out = Files.readString(printed.toPath());
      return code;
    } finally {
      assertThat(printed.delete()).isTrue();
    }
  }

  @Test
  void helpListsTheCommandsOfTheProgramAndOfTheExamples() throws Exception {
    for (String help : new String[] {"help", "--help", "-h"}) {
      assertThat(run(help)).isZero();
      assertThat(out)
          .startsWith("usage: stablecut COMMAND")
          .contains("  serve ", "  cluster rebalance ", "  demo ", "  sql ");
      assertThat(err).isEmpty();
    }
  }

  @Test
  void listsTheCommandsWithoutACommand() throws Exception {
    assertThat(run()).isEqualTo(2);
    assertThat(out).isEmpty();
    assertThat(err).startsWith("usage: stablecut COMMAND");
  }
}
