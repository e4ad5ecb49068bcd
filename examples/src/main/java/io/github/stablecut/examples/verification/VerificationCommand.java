package io.github.stablecut.examples.verification;

import picocli.CommandLine.Command;

/** {@code examples/run verification}. */
@Command(
    name = "verification",
    description = {
      "Runs workloads on stores, servers and data centres, whose histories other programs judge.",
      "The script examples/verification/run installs these programs and runs all workloads."
    },
    subcommands = {TransactionsCommand.class, SettledCommand.class, ConditionalCommand.class})
public final class VerificationCommand {
  /** Made by the command line. */
  public VerificationCommand() {}
}
