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

/** {@code stablecut dc remove}: removes a running data centre from its group. */
@Command(
    name = "stablecut dc remove",
    description = {
      "Removes the data centre at --url from its group without losing data: it stops committing, and leaves once all others have its commits.",
      "Exit code 0 once it has left, 1 if others could not receive everything within ten minutes: it then stays a member. The removal continues if this command is killed."
    })
public final class DcRemove extends ShellCommand {
  @Mixin private AdminPort port = new AdminPort();

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

  public DcRemove() {}

  /** Creates the command. */
  public static Object command() {
    return new DcRemove();
  }

  /**
   * Runs the command, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new DcRemove(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    DataCentresView.execute(port, "/api/v1/dc/remove");
    if (json) {
      printJson(Exit.DONE, JsonNodeFactory.instance.objectNode());
    } else {
      out().println("the data centre has left its group: stop its server");
    }
    return Exit.DONE.code();
  }
}
