package io.github.stablecut.cluster.command.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.cluster.command.AdminPort;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.Exit;
import io.github.stablecut.cluster.command.ShellCommand;
import java.io.IOException;
import java.net.URLEncoder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut dc connect}: makes a server join other data centres. */
@Command(
    name = "stablecut dc connect",
    description = {
      "Makes the server at --url join the group of the data centre at HOST:PORT. The server's store must be new; it becomes a copy of the group's store.",
      "Exit code 0 once each receives messages from the other, 1 if the server can't join: it then continues unchanged."
    })
public final class DcConnect extends ShellCommand {
  @Mixin private AdminPort port = new AdminPort();

  @Parameters(
      index = "0",
      paramLabel = "HOST:PORT",
      description = "the address where a data centre of the group listens for others")
  private String address = "";

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

  public DcConnect() {}

  /** Creates the command. */
  public static Object command() {
    return new DcConnect();
  }

  /**
   * Runs the command, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new DcConnect(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    check(
        address.matches("([^\\s:\\[\\]]+|\\[[^\\s\\]]+]):[0-9]{1,5}"),
        "an address is host:port, such as frankfurt.example:7400");
    DataCentresView.execute(
        port, "/api/v1/dc/connect?address=" + URLEncoder.encode(address, UTF_8));
    ObjectNode report = port.ask();
    DataCentresView view = DataCentresView.of(report, port.url());
    if (json) {
      printJson(Exit.DONE, report.retain(DcStatus.FIELDS));
    } else {
      view.print(out());
    }
    return Exit.DONE.code();
  }
}
