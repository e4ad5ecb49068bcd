package io.github.stablecut.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.InvalidTokenException;
import io.github.stablecut.cluster.command.CommandRunner;
import java.io.FileNotFoundException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Command;

/** Exit codes and what is said with them. */
final class CommandRunnerTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Command(name = "failing")
  private static final class Failing implements Callable<Integer> {
    private final Exception failure;

    Failing(Exception failure) {
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
  void saysInOneLineWhatCanBeMended() {
    assertThat(run(new Failing(new InvalidTokenException("not a token: x")))).isEqualTo(1);
    assertThat(err.toString()).isEqualToIgnoringNewLines("error: not a token: x");
  }

  @Test
  void saysWhatKindOfFailureAFileHad() {
    assertThat(run(new Failing(new FileNotFoundException("x")))).isEqualTo(1);
    assertThat(err.toString()).isEqualToIgnoringNewLines("error: java.io.FileNotFoundException: x");
  }

  @Test
  void leavesTheTraceOfWhatNobodyForesaw() {
    assertThat(run(new Failing(new IllegalStateException("oh")))).isEqualTo(1);
    assertThat(err.toString())
        .startsWith("java.lang.IllegalStateException: oh")
        .contains("at io.github.stablecut.examples.CommandRunnerTest");
  }

  @Test
  void listsTheApplicationsIfThereIsNoneOfAName() {
    assertThat(run(new Examples(), "gitlgo")).isEqualTo(2);
    assertThat(err.toString()).contains("'gitlgo'").contains("gitlog");
    assertThat(out.toString()).isEmpty();

    assertThat(run(new Examples())).isEqualTo(2);
    assertThat(err.toString()).contains("Imports the history of a git repository");
  }
}
