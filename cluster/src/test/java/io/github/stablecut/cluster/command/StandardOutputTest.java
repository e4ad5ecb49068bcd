package io.github.stablecut.cluster.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine.Command;

/** Commands whose output can't be written. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class StandardOutputTest {
  private final StringWriter err = new StringWriter();

  /** An output whose writes fail. */
  private static OutputStream broken(String reason) {
    return new OutputStream() {
      @Override
      public void write(int one) throws IOException {
        throw new IOException(reason);
      }
    };
  }

  /** Prints a line. */
  @Command(name = "line", description = "prints")
  static class Line extends ShellCommand {
    @Override
    public Integer call() throws Exception {
      out().println("a line");
      return 0;
    }
  }

  /** Prints a text that is written later. */
  @Command(name = "late")
  static final class LateLine extends Line {
    @Override
    public Integer call() {
      out().print("a line");
      return 0;
    }
  }

  /** Prints lines until that fails. */
  @Command(name = "endless")
  static final class Endless extends Line {
    @Override
    public Integer call() {
      while (true) {
        out().println("a line");
      }
    }
  }

  private int run(Callable<Integer> command, String reason, String... args) {
    PrintWriter out = new PrintWriter(new StandardOutput(broken(reason)), true, UTF_8);
    return CommandRunner.run(command, out, new PrintWriter(err, true), args);
  }

  @Test
  void failsIfTheOutputIsLost() {
    assertThat(run(new Line(), "No space left on device")).isEqualTo(1);
    assertThat(err.toString())
        .isEqualTo("error: standard output can't be written: No space left on device\n");
  }

  @Test
  void failsIfTheOutputIsLostAtTheEnd() {
    assertThat(run(new LateLine(), "No space left on device")).isEqualTo(1);
    assertThat(err.toString()).contains("can't be written");
  }

  @Test
  void failsIfTheHelpIsLost() {
    assertThat(run(new Line(), "No space left on device", "--help")).isEqualTo(1);
    assertThat(err.toString())
        .isEqualTo("error: standard output can't be written: No space left on device\n");
  }

  @Test
  void endsSilentlyIfTheReaderHasGone() {
    assertThat(run(new Endless(), "Broken pipe")).isEqualTo(1);
    assertThat(err.toString()).isEmpty();
  }
}
