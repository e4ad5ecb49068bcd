package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stablecut dc remove}: takes a running data centre out of its group. */
@Command(
    name = "stablecut dc remove",
    description = {
      "Takes the data centre at --url out of its group so that nothing is lost: it commits nothing"
          + " more, and is out once all others have what it has committed.",
      "Exit code 0 once it is out, 1 if others could not take everything within ten minutes: it"
          + " then stays a member. The server continues if this command is killed."
    })
public final class DcRemove extends ShellCommand {
  @Mixin private AdminPort port = new AdminPort();

  @Option(names = "--json", description = "as a line of JSON")
  private boolean json;

  DcRemove() {}

  /** The command, to be run. */
  public static Object command() {
    return new DcRemove();
  }

  /**
   * Runs it, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new DcRemove(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    DataCentresView.carryOut(port, "/api/v1/dc/remove");
    if (json) {
      printJson(Exit.DONE, JsonNodeFactory.instance.objectNode());
    } else {
      out().println("the data centre has left its group: end its server");
    }
    return Exit.DONE.code();
  }
}
