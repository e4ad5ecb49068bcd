package io.github.stablecut.cluster.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.cluster.terminal.Terminal;
import io.github.stablecut.error.StablecutException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Help;

/**
 * Runs a command line: exit code 0 if all went well, 1 with one line on standard error if something
 * in the world outside is wrong, 2 with the usage if the arguments are. What nobody foresaw leaves
 * its stack trace. Both outputs are UTF-8, whatever the locale, and numbers look the same in every
 * locale.
 */
public final class CommandRunner {
  private static final int FAILED = 1;

  private CommandRunner() {}

  /** Runs a command with this process's outputs and returns the exit code. */
  public static int run(Object command, String... args) {
    Locale.setDefault(Locale.ROOT);
    System.setOut(utf8(FileDescriptor.out));
    System.setErr(utf8(FileDescriptor.err));
    return run(
        command,
        new PrintWriter(System.out, true, UTF_8),
        new PrintWriter(System.err, true, UTF_8),
        args);
  }

  /** As {@link #run(Object, String...)}, with other outputs. */
  public static int run(Object command, PrintWriter out, PrintWriter err, String... args) {
    CommandLine line = new CommandLine(command);
    line.setOut(out);
    line.setErr(err);
    line.setColorScheme(
        Help.defaultColorScheme(Terminal.ofProcess().colour() ? Help.Ansi.ON : Help.Ansi.OFF));
    line.setExecutionExceptionHandler(
        (failure, failed, parsed) -> {
          if (!isForeseen(failure)) {
            throw failure;
          }
          failed.getErr().println("error: " + message(failure));
          return FAILED;
        });
    int code = line.execute(args);
    out.flush();
    err.flush();
    return code;
  }

  private static PrintStream utf8(FileDescriptor output) {
    return new PrintStream(new FileOutputStream(output), true, UTF_8);
  }

  private static boolean isForeseen(Exception failure) {
    return failure instanceof StablecutException
        || failure instanceof IOException
        || failure instanceof UncheckedIOException;
  }

  /** Exceptions of files often say no more than the file's name, so the kind goes before it. */
  private static String message(Exception failure) {
    return failure instanceof StablecutException
        ? Objects.requireNonNull(failure.getMessage())
        : failure.toString();
  }
}
