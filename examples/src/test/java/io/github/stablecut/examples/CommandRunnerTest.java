package io.github.stablecut.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.SettingsException;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.error.InvalidTokenException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Exit codes of commands and their error messages. */
final class CommandRunnerTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Command(name = "failing")
  private static final class FailingCommand implements Callable<Integer> {
    private final Exception failure;

    FailingCommand(Exception failure) {
      this.failure = failure;
    }

    @Override
    public Integer call() throws Exception {
      throw failure;
    }
  }

  private int run(Object command, String... args) {
    return CommandRunner.run(command, new PrintWriter(out), new PrintWriter(err), args);
  }

  @Test
  void reportsUserErrorsInOneLine() {
    assertThat(run(new FailingCommand(new InvalidTokenException("not a token: x")))).isEqualTo(2);
    assertThat(err.toString()).isEqualToIgnoringNewLines("error: not a token: x");
  }

  @Test
  void explainsFileErrors() {
    assertThat(run(new FailingCommand(new NoSuchFileException("x")))).isEqualTo(1);
    NoSuchFileException carried = new NoSuchFileException("y");
    assertThat(run(new FailingCommand(new ExecutionException(new UncheckedIOException(carried)))))
        .isEqualTo(1);
    assertThat(err.toString().lines())
        .containsExactly("error: there is no x", "error: there is no y");
  }

  @Test
  void invalidSettingsAreUsageErrors() {
    assertThat(run(new FailingCommand(new SettingsException("a port is 0 to 65535")))).isEqualTo(2);
    assertThat(err.toString()).isEqualToIgnoringNewLines("error: a port is 0 to 65535");
  }

  @Test
  void everyCommandHasHelp() {
    assertHelp(new CommandLine(new Examples()));
  }

  private void assertHelp(CommandLine line, String... names) {
    String[] args = Arrays.copyOf(names, names.length + 1);
    args[names.length] = "--help";
    out.getBuffer().setLength(0);

    assertThat(run(new Examples(), args)).as(String.join(" ", args)).isZero();
    assertThat(out.toString()).startsWith("Usage: examples/run " + String.join(" ", names));
    line.getSubcommands()
        .forEach(
            (name, below) -> {
              args[names.length] = name;
              assertHelp(below, args);
            });
  }

  @Test
  void printsTheStackTraceOfAnUnexpectedException() {
    assertThat(run(new FailingCommand(new IllegalStateException("oh")))).isEqualTo(1);
    assertThat(err.toString())
        .startsWith("java.lang.IllegalStateException: oh")
        .contains("at io.github.stablecut.examples.CommandRunnerTest");
  }

  @Test
  void listsTheApplicationsForAnUnknownName() {
    assertThat(run(new Examples(), "gitlgo")).isEqualTo(2);
    assertThat(err.toString()).contains("'gitlgo'").contains("gitlog");
    assertThat(out.toString()).isEmpty();

    assertThat(run(new Examples())).isEqualTo(2);
    assertThat(err.toString()).contains("Imports the history of a git repository");
  }
}
