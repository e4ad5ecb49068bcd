package io.github.stablecut.tools;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.NotAStoreException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.recovery.ClosedStore;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.internal.transaction.routing.PartitionFiles;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds and aborts transactions of several partitions that a node has prepared but whose outcome it
 * cannot learn, because the partition that decides them is lost for good. Readers of their writes
 * wait for the outcome until an administrator aborts them.
 */
public final class InDoubtTransactions {
  private InDoubtTransactions() {}

  /**
   * A prepared transaction in doubt.
   *
   * @param id its id: the deciding partition, the epoch of that partition, and a number
   * @param partition the partition that has prepared a part of it
   * @param time the prepare time
   * @param objects the objects that it writes on this partition
   */
  public record PreparedTransaction(String id, int partition, long time, List<ObjectName> objects) {
    /** Copies the list. */
    public PreparedTransaction {
      objects = List.copyOf(objects);
    }
  }

  /**
   * Finds the transactions in doubt that a partition decides. Changes nothing.
   *
   * @param directory the directory of a stopped node
   * @param coordinator the partition that decides
   * @throws NotAStoreException if this is not a node's directory, or it contains that partition
   * @throws io.github.stablecut.error.StoreInUseException if the node is running
   */
  public static List<PreparedTransaction> find(Path directory, int coordinator) {
    try (ClosedStore store = ClosedStore.open(directory)) {
      check(directory, store, coordinator);
    }
    Map<String, PreparedTransaction> prepared = new LinkedHashMap<>();
    String idPrefix = coordinator + "-";
    JournalDump.Result read =
        JournalDump.run(
            directory,
            JournalDump.Filter.ALL,
            entry -> {
              int partition = entry.partition();
              if (entry.content() instanceof JournalEntry.Prepared part
                  && part.id().startsWith(idPrefix)) {
                List<ObjectName> objects =
                    part.effects().stream().map(JournalEntry.Effect::object).distinct().toList();
                prepared.put(
                    partition + ":" + part.id(),
                    new PreparedTransaction(part.id(), partition, part.time(), objects));
              } else if (entry.content() instanceof JournalEntry.Transaction outcome) {
                outcome.id().ifPresent(id -> prepared.remove(partition + ":" + id));
              } else if (entry.content() instanceof JournalEntry.End end) {
                prepared.remove(partition + ":" + end.id());
              }
            });
    if (!read.damages().isEmpty()) {
      throw new StoreIoException(
          "%s is damaged, so the transactions in doubt can't be determined: %s"
              .formatted(directory, read.damages().get(0)));
    }
    return List.copyOf(prepared.values());
  }

  private static void check(Path directory, ClosedStore store, int coordinator) {
    if (store.node().isEmpty()) {
      throw new NotAStoreException(
          directory
              + " is not a node's directory: an embedded store decides all its transactions"
              + " itself");
    }
    if (store.partitions().contains(coordinator)) {
      throw new NotAStoreException(
          "%s contains partition %d: start the node, which then decides the partition's transactions"
              .formatted(directory, coordinator));
    }
  }

  /**
   * Durably aborts the transactions in doubt that a partition decides. If the partition had
   * committed one of them, other nodes may have committed their parts.
   *
   * @param directory the directory of a stopped node
   * @return the number of aborted parts of transactions
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
          "%s can't be read: %s; fix the cause, and try again".formatted(directory, IoReason.of(e)),
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
    PartitionContext alone =
        PartitionContext.builder(
                epoch,
                EmbeddedStore.clock(options),
                EmbeddedStore.activeSnapshots(options),
                (to, message) -> {})
            .build();
    try (Partition partition = files.open(options, local, number, alone)) {
      partition.start();
      List<TransactionId> undecidable = new ArrayList<>(partition.inDoubt());
      undecidable.removeIf(id -> id.coordinator() != coordinator);
      undecidable.forEach(id -> partition.receive(new Message.Abort(id)));
      return undecidable.size();
    }
  }
}
