package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.error.PrintableText;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stablecut cluster status}: where the partitions of a cluster are. */
@Command(
    name = "stablecut cluster status",
    description = {
      "Lists the partitions of a cluster and their owners, as the node at --url knows them. LAG is"
          + " the time since that node last heard from the owner.",
      "If partitions have replicas, also lists that node's: what they do, and, of those that lead,"
          + " how far behind the others are.",
      "Exit code 0 if that node can reach all owners, 1 if not, or if it does not answer.",
      "With --wait, 0 once besides all replicas on all nodes are up to date, and all nodes that are"
          + " to keep the register do so: then the next node may be restarted. 1 if they are not in"
          + " this time."
    })
public final class ClusterStatus extends ShellCommand {
  /** What of the status of a node is about its cluster. */
  private static final List<String> FACTS =
      List.of(
          "node",
          "nodes",
          "leaving",
          "members",
          "partitions",
          "zones",
          "replicasNotSpread",
          "replicationFactor",
          "replicasUpToDate",
          "keepsRegister",
          "register",
          "replicas");

  private static final long LOOK_MILLIS = 200;

  @Mixin private AdminPort port = new AdminPort();

  @Option(names = "--json", description = "as a line of JSON")
  private boolean json;

  @Option(
      names = "--wait",
      paramLabel = "SECONDS",
      description =
          "waits so long at most until all partitions are served and all replicas up to date; at"
              + " least 1")
  private @Nullable Integer wait;

  ClusterStatus() {}

  /** The command, to be run. */
  public static Object command() {
    return new ClusterStatus();
  }

  /**
   * Asks, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new ClusterStatus(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    check(wait == null || wait >= 1, "--wait takes seconds, at least 1");
    ObjectNode report = wait == null ? port.ask() : await(wait);
    ClusterView view = ClusterView.of(report, port.url());
    boolean isWell = wait == null ? view.isWhole() : view.isComplete();
    Exit exit = isWell ? Exit.DONE : Exit.FAILED;
    if (json) {
      printJson(exit, report.retain(FACTS));
    } else {
      print(view, out());
    }
    return exit.code();
  }

  /** What the node says once all is well, or at last. It may be that it starts. */
  private ObjectNode await(int seconds) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (true) {
      boolean isLast = System.nanoTime() - deadline >= 0;
      try {
        ObjectNode report = port.ask();
        if (isLast || ClusterView.of(report, port.url()).isComplete()) {
          return report;
        }
      } catch (IOException e) {
        if (isLast) {
          throw e;
        }
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
  }

  private static void print(ClusterView view, PrintWriter out) {
    out.println(
        "%9s  %-20s  %-24s  %6s  %6s  %s"
            .formatted("PARTITION", "NODE", "ADDRESS", "EPOCH", "LAG", "STATE"));
    for (ClusterView.Place place : view.places()) {
      out.println(
          "%9d  %-20s  %-24s  %6d  %6s  %s"
              .formatted(
                  place.partition(),
                  PrintableText.of(place.node()),
                  PrintableText.of(place.address()),
                  place.epoch(),
                  place.lagMillis() + " ms",
                  state(place)));
    }
    if (!view.replicas().isEmpty()) {
      printReplicas(view, out);
    }
    if (view.register().isObject()) {
      printRegister(view.register(), out);
    }
    if (!view.zones().isEmpty()) {
      printZones(view, out);
    }
  }

  private static void printZones(ClusterView view, PrintWriter out) {
    out.println();
    view.zones()
        .forEach(
            (zone, nodes) ->
                out.printf(
                    "zone %s: %s%n",
                    PrintableText.of(zone), PrintableText.of(String.join(", ", nodes))));
    int zones = view.zones().size() + view.nodesWithoutZone().size();
    if (!view.nodesWithoutZone().isEmpty()) {
      out.printf("a zone each: %s%n", PrintableText.of(String.join(", ", view.nodesWithoutZone())));
    }
    if (view.replicationFactor() > zones) {
      out.printf(
          "there are %d zones for %d replicas of each partition: a zone that is lost may take the"
              + " majority of a partition's replicas with it%n",
          zones, view.replicationFactor());
    }
    if (view.replicasNotSpread() > 0) {
      out.printf(
          "%d partitions have replicas in fewer zones than they could be in: cluster rebalance"
              + " moves them%n",
          view.replicasNotSpread());
    }
  }

  private static void printReplicas(ClusterView view, PrintWriter out) {
    out.println();
    out.println(
        "%9s  %-20s  %-10s  %6s  %10s  %10s  %s"
            .formatted("PARTITION", "REPLICA", "ROLE", "EPOCH", "RECORDS", "COMMITTED", "STATE"));
    for (ClusterView.ReplicaState replica : view.replicas()) {
      out.println(
          "%9d  %-20s  %-10s  %6d  %10d  %10d  %s"
              .formatted(
                  replica.partition(),
                  PrintableText.of(replica.replica()),
                  replica.role().toLowerCase(Locale.ROOT).replace('_', ' '),
                  replica.epoch(),
                  replica.records(),
                  replica.committed(),
                  PrintableText.of(state(replica, view.replicationFactor()))));
    }
    List<ClusterView.ReplicaState> led =
        view.replicas().stream().filter(ClusterView.ReplicaState::isLeading).toList();
    out.printf(
        "each partition is to have %d replicas: %d of the %d that are led here have as many%n",
        view.replicationFactor(),
        led.stream().filter(replica -> replica.voters().size() == view.replicationFactor()).count(),
        led.size());
    out.printf(
        "%d of the %d replicas of all partitions are up to date%n",
        view.replicasUpToDate(), view.replicasWanted());
  }

  private static void printRegister(JsonNode register, PrintWriter out) {
    String leader = register.path("leader").asText();
    List<String> words = new ArrayList<>();
    words.add(leader.isEmpty() ? "no leader is known" : leader + " leads");
    register.path("followers").forEach(one -> words.add(one.asText()));
    register.path("silent").forEach(one -> words.add(one.asText() + " is silent"));
    register.path("missing").forEach(one -> words.add(one.asText() + " is not in yet"));
    register.path("surplus").forEach(one -> words.add(one.asText() + " is to go"));
    out.printf("register: %s%n", PrintableText.of(String.join(", ", words)));
  }

  private static String state(ClusterView.ReplicaState replica, int replicationFactor) {
    if (!replica.failure().isEmpty()) {
      return replica.failure();
    }
    String votes =
        replica.voters().contains(replica.replica())
            ? "of " + String.join(", ", replica.voters())
            : "learns";
    return votes
        + (replica.voters().size() > replicationFactor ? "; too many" : "")
        + (replica.isUnderReplicated() && replica.voters().size() <= replicationFactor
            ? "; under-replicated"
            : "")
        + (replica.isFull() ? "; disk full" : "")
        + (replica.isShortened() ? "; may have lost its last records, has no vote" : "")
        + (replica.followers().isEmpty() ? "" : "; " + replica.followers());
  }

  private static String state(ClusterView.Place place) {
    return place
        .current()
        .map(move -> PrintableText.of(Mover.progress(move)))
        .orElseGet(() -> served(place));
  }

  private static String served(ClusterView.Place place) {
    if (place.isServing()) {
      return "serves";
    }
    if (!place.isReachable()) {
      return "can't be reached";
    }
    return place.lagMillis() < PartitionLocation.SILENCE.toMillis() ? "has no leader" : "is silent";
  }
}
