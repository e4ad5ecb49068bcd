package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
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

/**
 * {@code stablecut cluster recover}: makes a store of what is left of a cluster whose partitions
 * have copies.
 */
@Command(
    name = "stablecut cluster recover",
    description = {
      "For a cluster whose partitions have replicas, and of which too few nodes are left: says what"
          + " these have of each partition and, with --into, makes a store of its own of the latest"
          + " replicas. The nodes must be stopped; nothing in their directories is changed.",
      "Name all directories that are left, also those of nodes that can't be started. The store has"
          + " what was acknowledged if a majority of the first replicas of each partition is there;"
          + " otherwise commits may be missing that only the lost ones had, and transactions may be"
          + " there in part. Go on with stablecut serve, or with export and cluster import.",
      "Also for one whose partitions were about to get replicas when a disk was lost. A partition"
          + " of which nothing is left begins empty with --empty.",
      "Exit code 0 on success, 1 if the confirmed number does not match, 2 if a directory is not of"
          + " a node with replicas, is in use or lacks a partition, or if the arguments are"
          + " invalid."
    })
public final class ClusterRecover extends ShellCommand {
  @Option(
      names = "--into",
      paramLabel = "NEW",
      description = "the directory of the new store, empty or not there; without it only looks")
  private @Nullable Path target;

  @Option(
      names = "--confirm",
      paramLabel = "COUNT",
      description = "go on though COUNT partitions may lack what was acknowledged")
  private int confirmed;

  @Option(
      names = "--empty",
      paramLabel = "PARTITION",
      split = ",",
      description = "go on though nothing is left of these partitions, which begin empty")
  private Set<Integer> empty = Set.of();

  @Parameters(arity = "1..*", paramLabel = "DIR", description = "directories of stopped nodes")
  private List<Path> directories = List.of();

  @Option(names = "--json", description = "as a line of JSON")
  private boolean json;

  ClusterRecover() {}

  /** The command, to be run. */
  public static Object command() {
    return new ClusterRecover();
  }

  /**
   * Looks or recovers, and ends the process.
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
      tell(Exit.DONE, recovery, advice(lacking, recovery.missing()));
      return Exit.DONE.code();
    }
    if (lacking != confirmed) {
      tell(Exit.FAILED, recovery, "");
      err()
          .println(
              "error: %d partitions may lack what was acknowledged, and %d are confirmed: nothing was made; to go on: --confirm %d"
                  .formatted(lacking, confirmed, lacking));
      return Exit.FAILED.code();
    }
    recovery.into(into, empty);
    tell(Exit.DONE, recovery, "made a store of the latest replicas in %s".formatted(into));
    return Exit.DONE.code();
  }

  /** As JSON, or in words. */
  private void tell(Exit exit, ReplicaRecovery recovery, String words) {
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
            found.isEmpty() ? "nothing is left" : found,
            one.mayLackCommits() ? "; may lack what was acknowledged" : "");
  }

  private static String advice(long lacking, List<Integer> lost) {
    if (!lost.isEmpty()) {
      return "Nothing is left of the partitions %s. If another node can be found or restored, name its directory too. To go on without, with these partitions empty: --into NEW --confirm %d --empty %s"
          .formatted(
              lost, lacking, lost.stream().map(String::valueOf).collect(Collectors.joining(",")));
    }
    return lacking == 0
        ? "A majority of the replicas of each partition is there. To make a store of them: --into NEW"
        : "%d partitions may lack what was acknowledged. If another node can be found or restored, name its directory too. To go on without: --into NEW --confirm %d"
            .formatted(lacking, lacking);
  }
}
