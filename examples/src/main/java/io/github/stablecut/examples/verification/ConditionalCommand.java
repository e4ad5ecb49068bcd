package io.github.stablecut.examples.verification;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code verification conditional}. */
@Command(
    name = "conditional",
    description = {
      "Executes conditional writes and linearizable reads of registers by several clients, and"
          + " records them for Porcupine."
    })
final class ConditionalCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private Target target = new Target();

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "8",
      description = "number of clients; default ${DEFAULT-VALUE}")
  private int clients;

  @Option(
      names = "--registers",
      paramLabel = "N",
      defaultValue = "8",
      description = "number of registers; default ${DEFAULT-VALUE}")
  private int registers;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "duration; default ${DEFAULT-VALUE}")
  private int seconds;

  @Option(
      names = "--fault-every",
      paramLabel = "N",
      defaultValue = "0",
      description = "seconds between faults; none by default")
  private int everySeconds;

  @Option(
      names = "--fault-for",
      paramLabel = "N",
      defaultValue = "3",
      description = "seconds of each fault; default ${DEFAULT-VALUE}")
  private int forSeconds;

  @Option(
      names = "--out",
      required = true,
      paramLabel = "FILE",
      description = "the history, one operation per line, as JSON")
  private Path file = Path.of("");

  @Override
  public Integer call() throws Exception {
    Outcomes outcomes = new Outcomes();
    PrintWriter out = spec.commandLine().getOut();
    try (TargetStores stores = target.open();
        ConditionalHistory history = ConditionalHistory.create(file)) {
      new ConditionalWorkload(stores, history, outcomes, registers, target.seed())
          .run(
              clients,
              Duration.ofSeconds(seconds),
              Duration.ofSeconds(everySeconds),
              Duration.ofSeconds(forSeconds));
    }
    out.print(outcomes.report());
    out.flush();
    return 0;
  }
}
