package io.github.stablecut.cluster.command.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.cluster.command.AdminPort;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.Exit;
import io.github.stablecut.cluster.command.ShellCommand;
import io.github.stablecut.cluster.command.Verify;
import io.github.stablecut.cluster.terminal.ProgressBar;
import io.github.stablecut.error.PrintableText;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut cluster verify}: compares the replicas of partitions while they serve. */
@Command(
    name = "stablecut cluster verify",
    description = {
      "For a cluster whose partitions have replicas: compares the newest checkpoints of the replicas on all nodes while they serve. All replicas write the same checkpoints at slightly different times, so the command asks again until they report the same one.",
      "Exit code 0 if the checkpoints of all replicas are equal (partitions without checkpoints are named), 1 if some differ, or a voter could not be compared."
    })
public final class ClusterVerify extends ShellCommand {
  private static final int ROUNDS = 10;
  private static final int PAUSE_MILLIS = 1_000;

  @Mixin private AdminPort port = new AdminPort();

  @Parameters(
      arity = "1..*",
      paramLabel = "URL",
      converter = AdminPort.Url.class,
      description = "URLs of the other nodes' admin ports")
  private List<URI> others = List.of();

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

  public ClusterVerify() {}

  /** Creates the command. */
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
    ReplicaComparison found = new ReplicaComparison();
    found.expect(ClusterView.ask(port).partitions().size());
    ask(found);
    for (int round = 1; round < ROUNDS && !found.notComparable().isEmpty(); round++) {
      Thread.sleep(PAUSE_MILLIS);
      ask(found);
    }
    if (found.partitions() == 0) {
      err().println("error: these nodes have no replicas: each partition exists once");
      return Exit.FAILED.code();
    }
    List<String> differences = found.differences();
    List<String> notCompared = found.notComparable();
    boolean isSame = differences.isEmpty() && notCompared.isEmpty() && found.compared() > 0;
    Exit exit = isSame ? Exit.DONE : Exit.FAILED;
    if (json) {
      printJson(exit, facts(found));
      return exit.code();
    }
    differences.forEach(one -> out().println("different: " + PrintableText.of(one)));
    notCompared.forEach(one -> out().println("not compared: " + PrintableText.of(one)));
    if (!notCompared.isEmpty()) {
      out()
          .println(
              "name all nodes, check with cluster status that no replica has failed, and try again");
    }
    if (!found.withoutCheckpoint().isEmpty()) {
      out()
          .printf(
              "no replica of the partitions %s has a checkpoint yet: there is nothing to compare%n",
              found.withoutCheckpoint());
    }
    if (isSame) {
      out()
          .printf(
              "all is well: the replicas of %,d partitions have the same %,d objects in their checkpoints%n",
              found.compared(), found.objects());
    }
    return exit.code();
  }

  private static ObjectNode facts(ReplicaComparison found) {
    ObjectNode facts = JsonNodeFactory.instance.objectNode();
    facts.put("partitions", found.compared()).put("objects", found.objects());
    ArrayNode differences = facts.putArray("differences");
    found.differences().forEach(differences::add);
    ArrayNode notCompared = facts.putArray("notCompared");
    found.notComparable().forEach(notCompared::add);
    ArrayNode withoutCheckpoint = facts.putArray("withoutCheckpoint");
    found.withoutCheckpoint().forEach(withoutCheckpoint::add);
    return facts;
  }

  private void ask(ReplicaComparison found) throws IOException, InterruptedException {
    List<AdminPort> ports = new ArrayList<>(List.of(port));
    others.forEach(url -> ports.add(port.at(url)));
    try (ProgressBar bar = ProgressBar.onStandardError("objects")) {
      for (AdminPort one : ports) {
        found.add(one.runTask("/api/v1/cluster/digests", Verify.shownBy(bar)).path("digests"));
      }
    }
  }
}
