package io.github.stablecut.cluster.command.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.cluster.PartitionLocation;
import io.github.stablecut.cluster.command.AdminPort;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.Exit;
import io.github.stablecut.cluster.command.ShellCommand;
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

/** {@code stablecut cluster status}: lists the partitions and their owners. */
@Command(
    name = "stablecut cluster status",
    description = {
      "First names what the cluster lacks, if anything. Lists the partitions and their owners, as the node at --url knows them. LAG is the time since the owner's last message to that node.",
      "If partitions have replicas, also lists that node's replicas with their roles and, for leaders, how far their followers are behind.",
      "Exit code 0 if that node can reach all owners, and all replicas work; 4 if it reaches all owners, but replicas or members of the register are missing; 1 if not, or if it does not answer.",
      "With --wait, 0 once also all replicas on all nodes are up to date and the configuration register is complete: then the next node may be restarted. 1 if that takes longer than SECONDS."
    })
public final class ClusterStatus extends ShellCommand {
  /** The fields of a node's status that describe its cluster. */
  private static final List<String> FIELDS =
      List.of(
          "degraded",
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

  private static final long POLL_MILLIS = 200;

  @Mixin private AdminPort port = new AdminPort();

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

  @Option(
      names = "--wait",
      paramLabel = "SECONDS",
      description =
          "wait up to this long until all partitions are served and all replicas are up to date; at least 1")
  private @Nullable Integer wait;

  public ClusterStatus() {}

  /** Creates the command. */
  public static Object command() {
    return new ClusterStatus();
  }

  /**
   * Prints the status, and ends the process.
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
    Exit exit = exit(view);
    if (json) {
      printJson(exit, report.retain(FIELDS));
    } else {
      print(view, out());
    }
    return exit.code();
  }

  private Exit exit(ClusterView view) {
    if (wait != null) {
      return view.isComplete() ? Exit.DONE : Exit.FAILED;
    }
    if (!view.isWhole()) {
      return Exit.FAILED;
    }
    return view.degraded().isEmpty() ? Exit.DONE : Exit.DEGRADED;
  }

  /**
   * The node's status once the cluster is complete, or at the deadlineNanos. The node may be
   * starting.
   */
  private ObjectNode await(int seconds) throws IOException, InterruptedException {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (true) {
      boolean isLast = System.nanoTime() - deadlineNanos >= 0;
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
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  private static void print(ClusterView view, PrintWriter out) {
    out.println(PrintableText.of(summary(view)));
    out.println();
    out.println(
        "%9s  %-20s  %-24s  %6s  %6s  %s"
            .formatted("PARTITION", "NODE", "ADDRESS", "EPOCH", "LAG", "STATE"));
    for (ClusterView.Location location : view.partitions()) {
      out.println(
          "%9d  %-20s  %-24s  %6d  %6s  %s"
              .formatted(
                  location.partition(),
                  PrintableText.of(location.node()),
                  PrintableText.of(location.address()),
                  location.epoch(),
                  location.lagMillis() + " ms",
                  state(location)));
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

  private static String summary(ClusterView view) {
    int partitions = view.partitions().size();
    if (!view.degraded().isEmpty()) {
      return "DEGRADED: %s".formatted(view.degraded());
    }
    return view.isReplicated()
        ? "all %d partitions are served, and all of their %d replicas work"
            .formatted(partitions, view.replicasWanted())
        : "all %d partitions are served".formatted(partitions);
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
      out.printf(
          "without a zone, each counts as its own: %s%n",
          PrintableText.of(String.join(", ", view.nodesWithoutZone())));
    }
    if (view.replicationFactor() > zones) {
      out.printf(
          "there are %d zones for %d replicas of each partition: the loss of a zone may take the majority of a partition's replicas%n",
          zones, view.replicationFactor());
    }
    if (view.replicasNotSpread() > 0) {
      out.printf(
          "%d partitions have replicas in fewer zones than possible: cluster rebalance moves them%n",
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
        "%d replicas of each partition are configured: %d of the %d partitions led here have them%n",
        view.replicationFactor(),
        led.stream().filter(replica -> replica.voters().size() == view.replicationFactor()).count(),
        led.size());
    out.printf(
        "%d of the %d replicas of all partitions are up to date%n",
        view.replicasUpToDate(), view.replicasWanted());
  }

  private static void printRegister(JsonNode register, PrintWriter out) {
    String leader = register.path("leader").asText();
    List<String> members = new ArrayList<>();
    members.add(leader.isEmpty() ? "no leader is known" : leader + " leads");
    register.path("followers").forEach(one -> members.add(one.asText()));
    register.path("silent").forEach(one -> members.add(one.asText() + " is silent"));
    register.path("missing").forEach(one -> members.add(one.asText() + " has not joined yet"));
    register.path("surplus").forEach(one -> members.add(one.asText() + " is surplus"));
    out.printf("register: %s%n", PrintableText.of(String.join(", ", members)));
  }

  private static String state(ClusterView.ReplicaState replica, int replicationFactor) {
    if (!replica.failure().isEmpty()) {
      return replica.failure();
    }
    String voters =
        replica.voters().contains(replica.replica())
            ? "of " + String.join(", ", replica.voters())
            : "learner";
    return voters
        + (replica.voters().size() > replicationFactor ? "; too many" : "")
        + (replica.isUnderReplicated() && replica.voters().size() <= replicationFactor
            ? "; under-replicated"
            : "")
        + (replica.isFull() ? "; disk full" : "")
        + (replica.isShortened() ? "; may have lost its newest records, must not vote" : "")
        + (replica.followers().isEmpty() ? "" : "; " + replica.followers());
  }

  private static String state(ClusterView.Location location) {
    return location
        .current()
        .map(move -> PrintableText.of(Mover.progress(move)))
        .orElseGet(() -> service(location));
  }

  private static String service(ClusterView.Location location) {
    if (location.isServing()) {
      return "serves";
    }
    if (!location.isReachable()) {
      return "can't be reached";
    }
    return location.lagMillis() < PartitionLocation.SILENCE.toMillis()
        ? "has no leader"
        : "is silent";
  }
}
