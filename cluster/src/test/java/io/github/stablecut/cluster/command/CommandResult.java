package io.github.stablecut.cluster.command;

import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * The result of a command. Immutable.
 *
 * @param code the exit code
 * @param out standard output
 * @param err standard error
 */
public record CommandResult(int code, String out, String err) {
  /** Runs a command. */
  public static CommandResult of(Object command, Object... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    String[] texts = new String[args.length];
    for (int i = 0; i < args.length; i++) {
      texts[i] = args[i].toString();
    }
    int code =
        CommandRunner.run(command, new PrintWriter(out, true), new PrintWriter(err, true), texts);
    return new CommandResult(code, out.toString(), err.toString());
  }
}
