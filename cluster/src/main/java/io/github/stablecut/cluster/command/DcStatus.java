package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stablecut dc status}: the data centres of a server. */
@Command(
    name = "stablecut dc status",
    description = {
      "Lists the data centres of the group of the server at --url, as that one sees them. RECEIVED"
          + " is the time up to which their transactions are there, TAKEN the time up to which they"
          + " have durably what was committed there.",
      "Exit code 0 if it hears all that take part, 1 if not, or if it does not answer."
    })
public final class DcStatus extends ShellCommand {
  @Mixin private AdminPort port = new AdminPort();

  /** What of the status of a server is about its data centre. */
  static final List<String> FACTS = List.of("dataCentre", "dataCentres", "order");

  @Option(names = "--json", description = "as a line of JSON")
  private boolean json;

  DcStatus() {}

  /** The command, to be run. */
  public static Object command() {
    return new DcStatus();
  }

  /**
   * Runs it, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new DcStatus(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    ObjectNode report = port.ask();
    DataCentresView view = DataCentresView.of(report, port.url());
    Exit exit = view.isWhole() ? Exit.DONE : Exit.FAILED;
    if (json) {
      printJson(exit, report.retain(FACTS));
    } else {
      view.print(out());
    }
    return exit.code();
  }
}
