package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The base of all commands: two outputs, and checks of arguments. Run by {@link CommandRunner}. */
public abstract class ShellCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** A command whose options are not parsed yet. */
  public ShellCommand() {}

  /** Whether an option was given, such as {@code --url}. */
  final boolean isGiven(String option) {
    return spec.commandLine().getParseResult().hasMatchedOption(option);
  }

  /**
   * Returns the directory among the positional parameters, unless {@code --url} names a server.
   *
   * @param named the positional parameters: the directory first, unless there is a server
   * @param count the number of parameters after the directory
   * @return the directory; empty for a server
   * @throws ParameterException if there are too many or too few parameters
   */
  final Optional<Path> directory(List<Path> named, int count) {
    boolean isServer = isGiven("--url");
    if (named.size() != count + (isServer ? 0 : 1)) {
      throw new ParameterException(
          spec.commandLine(),
          isServer
              ? "--url names the server whose store is used: omit the directory"
              : "give the directory of a store, or a running server with --url");
    }
    return isServer ? Optional.empty() : Optional.of(named.get(0));
  }

  /**
   * Refuses invalid arguments, with the usage.
   *
   * @throws ParameterException if they are invalid
   */
  public final void check(boolean isValid, String rule) {
    if (!isValid) {
      throw new ParameterException(spec.commandLine(), rule);
    }
  }

  /** The output for results. */
  public final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  /**
   * Prints the result as a line of JSON: the command's name, whether it succeeded, and the facts.
   * The schema is docs/tools.schema.json.
   *
   * @param exit the exit of the command; the field {@code ok} tells whether it is {@link Exit#DONE}
   */
  public final void printJson(Exit exit, ObjectNode facts) {
    ObjectNode report = facts.objectNode();
    report.put("command", spec.name().replaceFirst("^stablecut ", ""));
    report.put("ok", exit == Exit.DONE);
    report.setAll(facts);
    out().println(report);
  }

  /** The output for errors. */
  public final PrintWriter err() {
    return spec.commandLine().getErr();
  }
}
