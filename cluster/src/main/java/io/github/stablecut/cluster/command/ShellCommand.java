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

/** What all commands have: two outputs. Run by {@link CommandRunner}. */
public abstract class ShellCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** A command whose options are not read yet. */
  protected ShellCommand() {}

  /** Whether an option was given, such as {@code --url}. */
  final boolean isGiven(String option) {
    return spec.commandLine().getParseResult().hasMatchedOption(option);
  }

  /**
   * A directory, or the running server that {@code --url} names, and what else is named behind it.
   *
   * @param named all that was named: the directory first, unless it is a server
   * @param count how many names there are behind the directory
   * @return the directory; empty for a server
   * @throws ParameterException if too many or too few are named
   */
  final Optional<Path> directory(List<Path> named, int count) {
    boolean isServer = isGiven("--url");
    if (named.size() != count + (isServer ? 0 : 1)) {
      throw new ParameterException(
          spec.commandLine(),
          isServer
              ? "with --url the server's store is meant: no directory of a store is named besides"
              : "name the directory of a store, or a running server by --url");
    }
    return isServer ? Optional.empty() : Optional.of(named.get(0));
  }

  /**
   * Refuses arguments, with the usage: nothing is tried.
   *
   * @throws ParameterException if they are not as they have to be
   */
  final void check(boolean isRight, String rule) {
    if (!isRight) {
      throw new ParameterException(spec.commandLine(), rule);
    }
  }

  /** Where its results go. */
  protected final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  /**
   * Prints what was found or done as a line of JSON: the command's name, whether all is well, and
   * the facts. The file docs/tools.schema.json describes it.
   *
   * @param exit how the command ends; {@code ok} is whether it is {@link Exit#DONE}
   */
  final void printJson(Exit exit, ObjectNode facts) {
    ObjectNode report = facts.objectNode();
    report.put("command", spec.name().replaceFirst("^stablecut ", ""));
    report.put("ok", exit == Exit.DONE);
    report.setAll(facts);
    out().println(report);
  }

  /** Where it says what is wrong. */
  protected final PrintWriter err() {
    return spec.commandLine().getErr();
  }
}
