package io.github.stablecut.cluster.command.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.Exit;
import io.github.stablecut.cluster.command.ShellCommand;
import io.github.stablecut.error.NotAStoreException;
import io.github.stablecut.error.PrintableText;
import io.github.stablecut.error.StoreInUseException;
import io.github.stablecut.tools.ReplicaRecovery;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut cluster recover}: creates a store from the remaining replicas of a cluster. */
@Command(
    name = "stablecut cluster recover",
    description = {
      "For a cluster whose partitions have replicas and that has lost too many nodes: lists the remaining replicas of each partition. With --into, creates a standalone store from the newest ones. The nodes must be stopped; their directories are not changed.",
      "Name all remaining directories, also of nodes that can't be started. The store has every acknowledged commit if a majority of each partition's planned replicas remains. Otherwise commits that only the lost replicas had may be missing, and transactions may be applied in part. Then use stablecut serve, or export and cluster import.",
      "Also for a cluster that lost a disk while its partitions were getting replicas. With --empty, a partition without any remaining replica starts empty.",
      "Exit code 0 on success; 1 if the confirmed number does not match; 2 if a directory does not belong to a node with replicas, is in use or lacks a partition, or if the arguments are invalid."
    })
public final class ClusterRecover extends ShellCommand {
  @Option(
      names = "--into",
      paramLabel = "NEW",
      description =
          "directory of the new store, empty or missing; without this option nothing is created")
  private @Nullable Path target;

  @Option(
      names = "--confirm",
      paramLabel = "COUNT",
      description = "proceed although COUNT partitions may lack acknowledged commits")
  private int confirmed;

  @Option(
      names = "--empty",
      paramLabel = "PARTITION",
      split = ",",
      description = "proceed although no replica of these partitions remains; they start empty")
  private Set<Integer> empty = Set.of();

  @Parameters(arity = "1..*", paramLabel = "DIR", description = "directories of stopped nodes")
  private List<Path> directories = List.of();

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

  ClusterRecover() {}

  /** Creates the command. */
  public static Object command() {
    return new ClusterRecover();
  }

  /**
   * Lists or recovers, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new ClusterRecover(), args));
  }

  @Override
  public Integer call() {
    try (ReplicaRecovery recovery = ReplicaRecovery.of(directories)) {
      return recover(recovery);
    } catch (NotAStoreException | StoreInUseException e) {
      err().println("error: " + e.getMessage());
      return Exit.WRONG_CALL.code();
    }
  }

  private int recover(ReplicaRecovery recovery) {
    if (!json) {
      recovery.partitions().forEach(one -> out().println(line(one)));
      recovery.notes().forEach(note -> out().println(PrintableText.of(note)));
    }
    long lacking =
        recovery.partitions().stream().filter(ReplicaRecovery.Partition::mayLackCommits).count();
    Path into = target;
    if (into == null) {
      report(Exit.DONE, recovery, advice(lacking, recovery.missing()));
      return Exit.DONE.code();
    }
    if (lacking != confirmed) {
      report(Exit.FAILED, recovery, "");
      err()
          .println(
              "error: %d partitions may lack acknowledged commits, and %d are confirmed: nothing was created; to proceed: --confirm %d"
                  .formatted(lacking, confirmed, lacking));
      return Exit.FAILED.code();
    }
    recovery.into(into, empty);
    report(Exit.DONE, recovery, "created a store from the newest replicas in %s".formatted(into));
    return Exit.DONE.code();
  }

  /** Prints the result as JSON, or as text. */
  private void report(Exit exit, ReplicaRecovery recovery, String words) {
    if (json) {
      printJson(exit, facts(exit, recovery));
    } else if (!words.isEmpty()) {
      out().println(words);
    }
  }

  private ObjectNode facts(Exit exit, ReplicaRecovery recovery) {
    ObjectNode facts = JsonNodeFactory.instance.objectNode();
    ArrayNode partitions = facts.putArray("partitions");
    for (ReplicaRecovery.Partition one : recovery.partitions()) {
      ObjectNode partition = partitions.addObject().put("partition", one.number());
      one.planned().forEach(partition.putArray("planned")::add);
      ArrayNode found = partition.putArray("found");
      for (ReplicaRecovery.FoundReplica replica : one.found()) {
        found
            .addObject()
            .put("directory", replica.directory().toString())
            .put("replica", replica.name())
            .put("epoch", replica.epoch())
            .put("records", replica.records());
      }
      partition.put("mayLackCommits", one.mayLackCommits());
    }
    recovery.notes().forEach(facts.putArray("notes")::add);
    if (exit == Exit.DONE && target != null) {
      facts.put("made", target.toString());
    }
    return facts;
  }

  private static String line(ReplicaRecovery.Partition one) {
    String found =
        one.found().stream()
            .map(
                replica ->
                    "%s (epoch %d, record %d)"
                        .formatted(replica.name(), replica.epoch(), replica.records()))
            .collect(Collectors.joining(", "));
    return "partition %d of %s: %s%s"
        .formatted(
            one.number(),
            String.join(", ", one.planned()),
            found.isEmpty() ? "no replica remains" : found,
            one.mayLackCommits() ? "; may lack acknowledged commits" : "");
  }

  private static String advice(long lacking, List<Integer> lost) {
    if (!lost.isEmpty()) {
      return "No replica of the partitions %s remains. If another node can be found or restored, name its directory too. To proceed with these partitions empty: --into NEW --confirm %d --empty %s"
          .formatted(
              lost, lacking, lost.stream().map(String::valueOf).collect(Collectors.joining(",")));
    }
    return lacking == 0
        ? "A majority of the replicas of each partition remains. To create a store from them: --into NEW"
        : "%d partitions may lack acknowledged commits. If another node can be found or restored, name its directory too. To proceed without it: --into NEW --confirm %d"
            .formatted(lacking, lacking);
  }
}
