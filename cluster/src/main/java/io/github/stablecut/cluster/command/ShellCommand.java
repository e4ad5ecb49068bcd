package io.github.stablecut.cluster.command;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What all commands have: two outputs. Run by {@link CommandRunner}. */
public abstract class ShellCommand implements Callable<Integer> {
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
