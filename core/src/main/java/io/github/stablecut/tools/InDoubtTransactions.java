package io.github.stablecut.tools;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.NotAStoreException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.partition.Message;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionContext;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.recovery.ClosedStore;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.internal.transaction.PartitionFiles;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Transactions of several partitions that a node has prepared and knows no outcome of, because the
 * partition that decides them is lost for good. Whoever reads what they wrote waits for the
 * outcome; an operator can abort them.
 */
public final class InDoubtTransactions {
  private InDoubtTransactions() {}

  /**
   * A transaction in doubt.
   *
   * @param id its id: the partition that decides, how often that was opened, a number
   * @param partition the partition that has prepared a part of it
   * @param time the prepare time
   * @param objects what it writes there
   */
  public record Prepared(String id, int partition, long time, List<ObjectName> objects) {
    /** Copies. */
    public Prepared {
      objects = List.copyOf(objects);
    }
  }

  /**
   * The transactions in doubt that a partition decides. Changes nothing.
   *
   * @param directory of a node that does not run
   * @param coordinator the partition that decides
   * @throws NotAStoreException if it is no node's directory, or has that partition itself
   * @throws io.github.stablecut.error.StoreInUseException if the node runs
   */
  public static List<Prepared> find(Path directory, int coordinator) {
    try (ClosedStore store = ClosedStore.open(directory)) {
      check(directory, store, coordinator);
    }
    Map<String, Prepared> found = new LinkedHashMap<>();
    String own = coordinator + "-";
    JournalDump.Result read =
        JournalDump.run(
            directory,
            JournalDump.Filter.ALL,
            entry -> {
              int partition = entry.partition();
              if (entry.content() instanceof JournalEntry.Prepared part
                  && part.id().startsWith(own)) {
                List<ObjectName> objects =
                    part.effects().stream().map(JournalEntry.Effect::object).distinct().toList();
                var unused =
                    found.put(
                        partition + ":" + part.id(),
                        new Prepared(part.id(), partition, part.time(), objects));
              } else if (entry.content() instanceof JournalEntry.Transaction outcome) {
                outcome.id().ifPresent(id -> found.remove(partition + ":" + id));
              } else if (entry.content() instanceof JournalEntry.End end) {
                var unused = found.remove(partition + ":" + end.id());
              }
            });
    if (!read.damages().isEmpty()) {
      throw new StoreIoException(
          "%s is damaged, so it is not known what is in doubt: %s"
              .formatted(directory, read.damages().get(0)));
    }
    return List.copyOf(found.values());
  }

  private static void check(Path directory, ClosedStore store, int coordinator) {
    if (store.node().isEmpty()) {
      throw new NotAStoreException(
          directory + " is no node's directory: a store of its own decides all its transactions");
    }
    if (store.partitions().contains(coordinator)) {
      throw new NotAStoreException(
          "%s has partition %d: start the node, and it decides its transactions"
              .formatted(directory, coordinator));
    }
  }

  /**
   * Aborts, durably, the transactions in doubt that a partition decides. If it had committed one of
   * them, other nodes may have their parts of it.
   *
   * @param directory of a node that does not run
   * @return how many parts of transactions were aborted
   * @throws NotAStoreException as {@link #find}
   */
  public static int abort(Path directory, int coordinator) {
    String name;
    try (ClosedStore store = ClosedStore.open(directory)) {
      check(directory, store, coordinator);
      name = store.node().orElseThrow();
    }
    StoreOptions options = StoreOptions.forTools();
    int aborted = 0;
    try (NodeDirectory node = NodeDirectory.open(directory, name)) {
      long epoch = node.raiseEpoch();
      for (int number : node.numbers()) {
        aborted += abort(node, number, epoch, coordinator, options);
      }
      node.complete();
    } catch (IOException e) {
      throw new StoreIoException(
          "%s can't be read: %s; remove the cause, and try again"
              .formatted(directory, IoReason.of(e)),
          e);
    }
    return aborted;
  }

  private static int abort(
      NodeDirectory node, int number, long epoch, int coordinator, StoreOptions options)
      throws IOException {
    LocalDataCentre local = node.plan().orElseThrow().dataCentre();
    PartitionFiles files =
        PartitionFiles.in(node.journal(number), node.checkpoints(number), options, node.lock());
    PartitionContext nobody =
        PartitionContext.alone(
            epoch,
            EmbeddedStore.clock(options),
            EmbeddedStore.claims(options),
            (to, message) -> {});
    try (Partition partition = files.open(options, local, number, nobody)) {
      partition.start();
      List<TransactionId> lost = new ArrayList<>(partition.inDoubt());
      lost.removeIf(id -> id.coordinator() != coordinator);
      lost.forEach(id -> partition.receive(new Message.Abort(id)));
      return lost.size();
    }
  }
}
