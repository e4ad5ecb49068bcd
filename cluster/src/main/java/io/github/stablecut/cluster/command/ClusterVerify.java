package io.github.stablecut.cluster.command;

import io.github.stablecut.cluster.terminal.ProgressBar;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code stablecut cluster verify}: compares the copies of partitions while they serve. */
@Command(
    name = "stablecut cluster verify",
    description = {
      "For a cluster whose partitions have copies: compares what the newest checkpoints of the"
          + " copies on several nodes hold, while all of them serve. Copies make the same"
          + " checkpoints, one a little later than another; where they differ at the moment it is"
          + " looked again.",
      "Exit code 0 if all copies hold the same, 1 if some differ, or could not be compared."
    })
public final class ClusterVerify extends ShellCommand {
  private static final int ROUNDS = 10;
  private static final int PAUSE_MILLIS = 1_000;

  @Mixin private OperatorsPort port = new OperatorsPort();

  @Parameters(
      arity = "1..*",
      paramLabel = "URL",
      converter = OperatorsPort.Url.class,
      description = "URLs of the other nodes' ports for operators")
  private List<URI> others = List.of();

  ClusterVerify() {}

  /** The command, to be run. */
  public static Object command() {
    return new ClusterVerify();
  }

  /**
   * Compares, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new ClusterVerify(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    CopiesComparison found = compare();
    for (int round = 1; round < ROUNDS && !found.notComparable().isEmpty(); round++) {
      Thread.sleep(PAUSE_MILLIS);
      found = compare();
    }
    if (found.partitions() == 0) {
      err().println("error: these nodes have no copies of partitions: each exists once");
      return Exit.FAILED.code();
    }
    found.differences().forEach(one -> out().println("different: " + one));
    if (!found.notComparable().isEmpty()) {
      out()
          .printf(
              "not compared: copies of the partitions %s had different checkpoints each time, or"
                  + " only one of the nodes has one; try again, and name all nodes%n",
              found.notComparable());
    }
    boolean isSame = found.differences().isEmpty() && found.notComparable().isEmpty();
    if (isSame) {
      out()
          .printf(
              "all is well: the copies of %,d partitions hold the same %,d objects in their"
                  + " checkpoints%n",
              found.partitions(), found.objects());
    }
    return (isSame ? Exit.DONE : Exit.FAILED).code();
  }

  private CopiesComparison compare() throws IOException, InterruptedException {
    CopiesComparison found = new CopiesComparison();
    List<OperatorsPort> ports = new ArrayList<>(List.of(port));
    others.forEach(url -> ports.add(port.at(url)));
    try (ProgressBar bar = ProgressBar.onStandardError("objects")) {
      for (OperatorsPort one : ports) {
        found.add(one.errand("/api/v1/cluster/digests", Verify.shownBy(bar)).path("digests"));
      }
    }
    return found;
  }
}
