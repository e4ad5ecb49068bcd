package io.github.stablecut.cluster.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The program's output if no command is named. */
final class MainTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int explain(String... args) {
    out.reset();
    err.reset();
    return Main.explain(args, new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8));
  }

  @Test
  void namesAnUnknownCommand() {
    for (List<String> words :
        List.of(
            List.of("sreve"),
            List.of("cluster"),
            List.of("cluster", "stauts"),
            List.of("journal"),
            List.of("journal", "show"))) {
      assertThat(explain(words.toArray(String[]::new))).isEqualTo(2);
      assertThat(err.toString(UTF_8))
          .startsWith("stablecut: there is no command \"" + String.join(" ", words) + "\"")
          .contains("usage: stablecut COMMAND");
      assertThat(out.size()).isZero();
    }
    assertThat(explain("sreve", "--port", "1")).isEqualTo(2);
    assertThat(err.toString(UTF_8)).startsWith("stablecut: there is no command \"sreve\"");
    assertThat(explain()).isEqualTo(2);
    assertThat(err.toString(UTF_8)).startsWith("usage: stablecut COMMAND");
  }

  @Test
  void printsHelpWithCodeZero() {
    for (List<String> words :
        List.of(List.of("--help"), List.of("help"), List.of("cluster", "--help"))) {
      assertThat(explain(words.toArray(String[]::new))).isZero();
      assertThat(out.toString(UTF_8)).startsWith("usage: stablecut COMMAND");
      assertThat(err.size()).isZero();
    }
  }

  @Test
  void theUsageListsEveryCommand() {
    assertThat(explain("help")).isZero();

    assertThat(Main.names())
        .filteredOn(name -> !name.startsWith("--"))
        .allSatisfy(name -> assertThat(out.toString(UTF_8)).contains("\n  " + name + " "));
    assertThat(out.toString(UTF_8).lines().filter(line -> line.startsWith("  ")))
        .filteredOn(line -> !line.startsWith("  sql "))
        .allSatisfy(
            line -> assertThat(Main.names()).anyMatch(name -> line.startsWith("  " + name + " ")));
  }
}
