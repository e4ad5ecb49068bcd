package io.github.stablecut.cluster.command.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.cluster.command.AdminPort;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.Exit;
import io.github.stablecut.cluster.command.ShellCommand;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stablecut dc status}: lists the data centres of a server's group. */
@Command(
    name = "stablecut dc status",
    description = {
      "Lists the data centres of the group of the server at --url, as that server sees them. RECEIVED is the time up to which it has received their transactions, TAKEN the time up to which they have made its transactions durable.",
      "Exit code 0 if the server receives messages from all that are not detached, 1 if not, or if it does not answer."
    })
public final class DcStatus extends ShellCommand {
  @Mixin private AdminPort port = new AdminPort();

  /** The fields of a server's status that describe its data centres. */
  static final List<String> FIELDS = List.of("dataCentre", "dataCentres", "order");

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

  public DcStatus() {}

  /** Creates the command. */
  public static Object command() {
    return new DcStatus();
  }

  /**
   * Runs the command, and ends the process.
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
      printJson(exit, report.retain(FIELDS));
    } else {
      view.print(out());
    }
    return exit.code();
  }
}
