package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut dc detach}: takes another data centre out of the group. */
@Command(
    name = "stablecut dc detach",
    description = {
      "Takes another data centre out of the group of the server at --url, for ever: nothing more"
          + " that it commits is taken, and nothing is kept for it. What nobody has of it is lost"
          + " to the others. For one that can't be reached any more; one that runs is removed by dc"
          + " remove.",
      "To come back, it joins again with an empty directory. Exit code 0 once it is detached, 1 if"
          + " there is no such data centre."
    })
public final class DcDetach extends ShellCommand {
  @Mixin private AdminPort port = new AdminPort();

  @Parameters(index = "0", paramLabel = "NUMBER", description = "its number, as in dc status")
  private int number;

  @Option(names = "--json", description = "as a line of JSON")
  private boolean json;

  DcDetach() {}

  /** The command, to be run. */
  public static Object command() {
    return new DcDetach();
  }

  /**
   * Runs it, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new DcDetach(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    check(number >= 0, "data centres are numbered from 0 on");
    var unused = port.order("/api/v1/dc/detach?number=" + number);
    if (json) {
      printJson(Exit.DONE, JsonNodeFactory.instance.objectNode().put("number", number));
    } else {
      out().println("data centre %d is detached".formatted(number));
    }
    return Exit.DONE.code();
  }
}
