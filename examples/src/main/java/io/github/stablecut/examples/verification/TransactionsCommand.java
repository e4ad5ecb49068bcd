package io.github.stablecut.examples.verification;

import io.github.stablecut.option.Certification;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code verification transactions}. */
@Command(
    name = "transactions",
    description = {
      "Executes transactions of adya, one line of JSON each, that arrive at a local port.",
      "Prints the port, and at the end of its input how the transactions ended."
    })
final class TransactionsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private Target target = new Target();

  @Option(
      names = "--workload",
      defaultValue = "LIST_APPEND",
      description = "one of ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}")
  private Workload workload = Workload.LIST_APPEND;

  @Option(
      names = "--level",
      defaultValue = "READS_WRITES",
      description = "the certification, one of ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}")
  private Certification level = Certification.READS_WRITES;

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    Outcomes outcomes = new Outcomes();
    try (TargetStores stores = target.open();
        TransactionServer server =
            TransactionServer.start(stores, new TransactionDriver(workload, level, outcomes))) {
      out.println(server.port());
      out.flush();
      while (System.in.read() >= 0) {
        // Nothing is written to it.
      }
    }
    out.print(outcomes.report());
    out.flush();
    return 0;
  }
}
