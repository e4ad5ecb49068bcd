package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.DiskDirectory;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.partition.replicated.ReplicaContext;
import io.github.stablecut.internal.recovery.FencedDirectory;
import io.github.stablecut.internal.recovery.IncomingCheckpoint;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.internal.thread.Threads;
import io.github.stablecut.internal.transaction.routing.PartitionFiles;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.log.Log;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;

/** The context that a node provides to one replica. Thread-safe. */
final class NodeReplicaContext implements ReplicaContext {
  private static final Logger LOG = Log.of(NodeReplicaContext.class);

  private final NodeReplicas replicas;
  private final NodeReplicas.Node node;
  private final int number;
  private final IncomingCheckpoint incoming;
  private final AtomicBoolean isLeaving = new AtomicBoolean();

  NodeReplicaContext(NodeReplicas replicas, NodeReplicas.Node node, int number) {
    this.replicas = replicas;
    this.node = node;
    this.number = number;
    this.incoming =
        node.directory()
            .incoming(
                number,
                (first, epoch) ->
                    Journal.begin(
                        files().journal(),
                        replicas.options(number).journal().options(),
                        first,
                        epoch));
  }

  private PartitionFiles files() {
    NodeDirectory directory = node.directory();
    try {
      return PartitionFiles.in(
          directory.journal(number),
          directory.checkpoints(number),
          node.options(),
          directory.lock());
    } catch (IOException e) {
      throw new StoreIoException(
          "the replica of partition %d can't be opened: %s; remove the cause, and restart the node"
              .formatted(number, IoReason.of(e)),
          e);
    }
  }

  @Override
  public SegmentStore journal() {
    incoming.finish();
    SegmentStore journal = files().journal();
    node.directory().checkJournal(number, journal.segments().size());
    return journal;
  }

  @Override
  public Directory checkpoints() {
    return files().checkpoints();
  }

  @Override
  public Directory incoming() {
    try {
      return new FencedDirectory(DiskDirectory.existing(incoming.begin()), node.directory().lock());
    } catch (IOException e) {
      throw new StoreIoException(
          "the replica of partition %d can't get a checkpoint: %s; remove the cause"
              .formatted(number, IoReason.of(e)),
          e);
    }
  }

  @Override
  public void dropIncoming() {
    incoming.drop();
  }

  @Override
  public void install(long first, long epoch) {
    incoming.install(first, epoch);
  }

  @Override
  public void send(String to, ReplicaMessage message) {
    replicas
        .messages()
        .send(
            number,
            new Request.ToReplica(replicas.self(), to, message),
            () -> replicas.find(number).ifPresent(replica -> replica.refused(to)));
  }

  @Override
  public boolean isSending(String to) {
    return replicas.messages().isSending(number, to);
  }

  @Override
  public PartitionContext context(long epoch) {
    return node.leading().context(epoch);
  }

  @Override
  public void leads(Partition partition, long epoch) {
    LOG.info("node {} leads partition {} in epoch {}", replicas.self(), number, epoch);
    node.leading().begins(partition, epoch);
  }

  @Override
  public void leave(String to) {
    if (isLeaving.getAndSet(true)) {
      return;
    }
    try {
      Threads.daemon("leave-" + number, () -> giveWay(to)).start();
    } catch (OutOfMemoryError e) {
      isLeaving.set(false);
      LOG.warn("partition {} can't step down yet, because no thread can be started", number, e);
    }
  }

  private void giveWay(String to) {
    try {
      replicas.giveWay(number, to);
    } finally {
      isLeaving.set(false);
    }
  }

  @Override
  public void follows(Partition led) {
    LOG.info("node {} no longer leads partition {}", replicas.self(), number);
    node.leading().ends(led);
  }
}
