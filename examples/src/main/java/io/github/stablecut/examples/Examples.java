package io.github.stablecut.examples;

import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.examples.advertising.AdvertisingCommand;
import io.github.stablecut.examples.bench.Bench;
import io.github.stablecut.examples.cities.CitiesCommand;
import io.github.stablecut.examples.gitlog.GitLog;
import io.github.stablecut.examples.trace.TraceCommand;
import io.github.stablecut.examples.verification.VerificationCommand;
import io.github.stablecut.examples.write.WriteCommand;
import picocli.CommandLine.Command;

/** The example applications by name: {@code examples/run APP ARGS...}. */
@Command(
    name = "examples/run",
    description = "Example applications of Stablecut.",
    synopsisSubcommandLabel = "APP",
    subcommands = {
      GitLog.class,
      TraceCommand.class,
      CitiesCommand.class,
      WriteCommand.class,
      AdvertisingCommand.class,
      VerificationCommand.class,
      Bench.class
    })
public final class Examples {
  Examples() {}

  /**
   * Runs an application and ends the process with its exit code.
   *
   * @param args the application's name and its arguments
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new Examples(), args));
  }
}
