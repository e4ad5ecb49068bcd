package io.github.stablecut.cluster.command.cluster;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.github.stablecut.cluster.command.AdminPort;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.Exit;
import io.github.stablecut.cluster.command.ShellCommand;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut dc detach}: removes another data centre from the group. */
@Command(
    name = "stablecut dc detach",
    description = {
      "Removes another data centre from the group of the server at --url forever. The group accepts no more of its commits and retains nothing for it; commits that no other data centre has received are lost to the group. Use it for a permanently lost data centre; dc remove removes a running one.",
      "To come back, the data centre joins again with an empty directory. Exit code 0 once it is detached, 1 if there is no such data centre."
    })
public final class DcDetach extends ShellCommand {
  @Mixin private AdminPort port = new AdminPort();

  @Parameters(
      index = "0",
      paramLabel = "NUMBER",
      description = "number of the data centre, as in dc status")
  private int number;

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

  public DcDetach() {}

  /** Creates the command. */
  public static Object command() {
    return new DcDetach();
  }

  /**
   * Runs the command, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new DcDetach(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    check(number >= 0, "data centres are numbered from 0");
    port.execute("/api/v1/dc/detach?number=" + number);
    if (json) {
      printJson(Exit.DONE, JsonNodeFactory.instance.objectNode().put("number", number));
    } else {
      out().println("data centre %d is detached".formatted(number));
    }
    return Exit.DONE.code();
  }
}
