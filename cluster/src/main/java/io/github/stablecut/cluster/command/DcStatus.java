package io.github.stablecut.cluster.command;

import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code stablecut dc status}: the data centres of a server. */
@Command(
    name = "stablecut dc status",
    description = {
      "Lists the data centres of the group of the server at --url, as that one sees them. RECEIVED is"
          + " the time up to which their transactions are there, TAKEN the time up to which they have"
          + " durably what was committed there.",
      "Exit code 0 if it hears all that take part, 1 if not, or if it does not answer."
    })
public final class DcStatus extends ShellCommand {
  @Mixin private OperatorsPort port = new OperatorsPort();

  private static final int NOT_WHOLE = 1;

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
    DataCentresView view = DataCentresView.ask(port);
    view.print(out());
    return view.isWhole() ? 0 : NOT_WHOLE;
  }
}
