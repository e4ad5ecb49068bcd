package io.github.stablecut.cluster.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.cluster.SettingsException;
import io.github.stablecut.cluster.terminal.Terminal;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.PrintableText;
import io.github.stablecut.error.StablecutException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.ToIntFunction;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Runs a command line and determines its exit code ({@link Exit}).
 *
 * <ul>
 *   <li>0: success.
 *   <li>1, with one line on standard error: the operation failed. If the output can't be written
 *       because its reader has ended, there is no such line.
 *   <li>2: the arguments are invalid (with the usage), or the settings are, or the store is missing
 *       or in use (with one line).
 * </ul>
 *
 * <p>An unexpected exception prints its stack trace. Every command has {@code --help} and {@code
 * --version}. Both outputs are UTF-8, and numbers look the same in every locale.
 */
public final class CommandRunner {
  private CommandRunner() {}

  /** Runs a command with this process's outputs and returns the exit code. */
  public static int run(Object command, String... args) {
    Locale.setDefault(Locale.ROOT);
    System.setOut(utf8(FileDescriptor.out));
    System.setErr(utf8(FileDescriptor.err));
    PrintWriter err = new PrintWriter(System.err, true, UTF_8);
    Optional<String> refusal = Arguments.refusal(args);
    if (refusal.isPresent()) {
      return failed(new SettingsException(refusal.get()), err);
    }
    return run(command, new PrintWriter(StandardOutput.ofProcess(), true, UTF_8), err, args);
  }

  /**
   * Prints to this process's outputs, and returns the exit code.
   *
   * @param printing receives the standard output, and returns the exit code if everything was
   *     written
   */
  static int print(ToIntFunction<PrintStream> printing) {
    try (PrintStream out = new PrintStream(StandardOutput.ofProcess(), true, UTF_8)) {
      return printing.applyAsInt(out);
    } catch (UncheckedIOException e) {
      return failed(cause(e), new PrintWriter(System.err, true, UTF_8));
    }
  }

  /** Like {@link #run(Object, String...)}, with other outputs. */
  public static int run(Object command, PrintWriter out, PrintWriter err, String... args) {
    CommandLine line = new CommandLine(command);
    addHelp(line);
    line.setOut(out);
    line.setErr(err);
    line.setColorScheme(
        Help.defaultColorScheme(Terminal.ofProcess().colour() ? Help.Ansi.ON : Help.Ansi.OFF));
    line.setExecutionStrategy(CommandRunner::execute);
    line.setExecutionExceptionHandler(
        (thrown, failed, parsed) -> {
          Throwable failure = cause(thrown);
          if (!isExpected(failure)) {
            throw thrown;
          }
          return failed(failure, failed.getErr());
        });
    int code = execute(line, args);
    err.flush();
    return code;
  }

  /** Executes a command; fails if its output can't be written completely. */
  private static int execute(CommandLine line, String... args) {
    int code = line.execute(args);
    try {
      line.getOut().flush();
      return code;
    } catch (UncheckedIOException e) {
      // If the command has failed, it has already reported why.
      return code == Exit.DONE.code() ? failed(cause(e), line.getErr()) : code;
    }
  }

  /** Executes a parsed command line. Picocli itself prints help and versions. */
  private static int execute(CommandLine.ParseResult parsed) {
    try {
      return new CommandLine.RunLast().execute(parsed);
    } catch (UncheckedIOException e) {
      return failed(cause(e), parsed.commandSpec().commandLine().getErr());
    }
  }

  private static int failed(Throwable failure, PrintWriter err) {
    boolean isUnread =
        failure instanceof StandardOutput.OutputLostException lost && lost.isUnread();
    if (!isUnread) {
      err.println("error: " + PrintableText.of(message(failure)));
    }
    return Exit.of(failure).code();
  }

  private static void addHelp(CommandLine line) {
    if (line.getCommandSpec().findOption("--help") == null) {
      line.getCommandSpec()
          .addOption(
              OptionSpec.builder("-h", "--help")
                  .usageHelp(true)
                  .description("show this help")
                  .build());
    }
    if (line.getCommandSpec().findOption("--version") == null) {
      line.getCommandSpec()
          .version(Main.version())
          .addOption(
              OptionSpec.builder("--version")
                  .versionHelp(true)
                  .description("show the versions of Stablecut and Java")
                  .build());
    }
    line.getSubcommands().values().forEach(CommandRunner::addHelp);
  }

  private static PrintStream utf8(FileDescriptor output) {
    return new PrintStream(new FileOutputStream(output), true, UTF_8);
  }

  /** The cause, without wrappers that only carry it from another thread or call. */
  private static Throwable cause(Throwable thrown) {
    Throwable cause = thrown.getCause();
    boolean isWrapper =
        thrown instanceof UncheckedIOException
            || thrown instanceof ExecutionException
            || thrown instanceof CompletionException;
    return isWrapper && cause != null ? cause(cause) : thrown;
  }

  private static boolean isExpected(Throwable failure) {
    return failure instanceof StablecutException || failure instanceof IOException;
  }

  private static String message(Throwable failure) {
    return failure instanceof IOException io
        ? IoReason.of(io)
        : Objects.requireNonNull(failure.getMessage());
  }
}
