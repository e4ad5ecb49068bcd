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
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Runs a command line: exit code 0 if all went well, 1 with one line on standard error if something
 * in the world outside is wrong, 2 with the usage if the arguments are, or with one line if the
 * settings are or the store is not there or in use ({@link Exit}). A command whose output can't be
 * written ends with 1, without a line if its reader has gone. What nobody foresaw leaves its stack
 * trace. Every command has {@code --help} and {@code --version}. Both outputs are UTF-8, whatever
 * the locale, and numbers look the same in every locale.
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
   * Prints on this process's outputs, and returns the exit code.
   *
   * @param printing is given the standard output, and returns the exit code if all was written
   */
  static int print(ToIntFunction<PrintStream> printing) {
    try (PrintStream out = new PrintStream(StandardOutput.ofProcess(), true, UTF_8)) {
      return printing.applyAsInt(out);
    } catch (UncheckedIOException e) {
      return failed(cause(e), new PrintWriter(System.err, true, UTF_8));
    }
  }

  /** As {@link #run(Object, String...)}, with other outputs. */
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
          if (!isForeseen(failure)) {
            throw thrown;
          }
          return failed(failure, failed.getErr());
        });
    int code = execute(line, args);
    err.flush();
    return code;
  }

  /** Executes a command whose output is written to its end, or it fails. */
  private static int execute(CommandLine line, String... args) {
    int code = line.execute(args);
    try {
      line.getOut().flush();
      return code;
    } catch (UncheckedIOException e) {
      // What could not be written is known already if the command failed of it.
      return code == Exit.DONE.code() ? failed(cause(e), line.getErr()) : code;
    }
  }

  /** Executes what was parsed. Help and versions are printed by picocli itself. */
  private static int execute(CommandLine.ParseResult parsed) {
    try {
      return new CommandLine.RunLast().execute(parsed);
    } catch (UncheckedIOException e) {
      return failed(cause(e), parsed.commandSpec().commandLine().getErr());
    }
  }

  private static int failed(Throwable failure, PrintWriter err) {
    boolean isUnread = failure instanceof StandardOutput.Lost lost && lost.isUnread();
    if (!isUnread) {
      err.println("error: " + PrintableText.of(message(failure)));
    }
    return Exit.of(failure).code();
  }

  private static void addHelp(CommandLine line) {
    if (line.getCommandSpec().findOption("--help") == null) {
      CommandSpec unused =
          line.getCommandSpec()
              .addOption(
                  OptionSpec.builder("-h", "--help")
                      .usageHelp(true)
                      .description("show this help")
                      .build());
    }
    if (line.getCommandSpec().findOption("--version") == null) {
      CommandSpec unused =
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

  /** What went wrong, without the exceptions that only carry it from another thread or call. */
  private static Throwable cause(Throwable thrown) {
    Throwable cause = thrown.getCause();
    boolean isCarrier =
        thrown instanceof UncheckedIOException
            || thrown instanceof ExecutionException
            || thrown instanceof CompletionException;
    return isCarrier && cause != null ? cause(cause) : thrown;
  }

  private static boolean isForeseen(Throwable failure) {
    return failure instanceof StablecutException || failure instanceof IOException;
  }

  private static String message(Throwable failure) {
    return failure instanceof IOException io
        ? IoReason.of(io)
        : Objects.requireNonNull(failure.getMessage());
  }
}
