package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stablecut status}: shows the status of a running server. */
@Command(
    name = "stablecut status",
    description = {
      "Shows the status of a running server: its health first, then what it uses and serves, and each warning with what to do. With --json, everything that the server reports about itself.",
      "Exit code 0 if it is ready; 4 if it is ready, but the cluster lacks replicas, partitions or members of the register; 1 if it is not ready, a part of it has failed, or it does not answer."
    })
public final class Status extends ShellCommand {
  @Mixin private AdminPort port = new AdminPort();

  @Option(names = "--json", description = "print all figures as a line of JSON")
  private boolean json;

  Status() {}

  /** Creates the command. */
  public static Object command() {
    return new Status();
  }

  /**
   * Prints the status, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new Status(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    ObjectNode report = port.ask();
    StatusSummary summary = new StatusSummary(report);
    Exit exit = summary.exit();
    if (json) {
      printJson(exit, report);
    } else {
      summary.lines().forEach(out()::println);
    }
    return exit.code();
  }
}
