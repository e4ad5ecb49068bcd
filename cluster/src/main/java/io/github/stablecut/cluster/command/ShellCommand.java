package io.github.stablecut.cluster.command;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What all commands have: {@code --help}, and two outputs. Run by {@link CommandRunner}. */
public abstract class ShellCommand implements Callable<Integer> {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "show this help")
  @SuppressWarnings("unused") // the command line reads it
  private boolean help;

  @Spec private CommandSpec spec = CommandSpec.create();

  /** A command whose options are not read yet. */
  protected ShellCommand() {}

  /** Where its results go. */
  protected final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  /** Where it says what is wrong. */
  protected final PrintWriter err() {
    return spec.commandLine().getErr();
  }
}
