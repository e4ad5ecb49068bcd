package io.github.stablecut.internal.replication;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.thread.HeapShare;
import io.github.stablecut.internal.thread.SupervisedThread;
import io.github.stablecut.replication.ReplicationTransport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;

/**
 * Replicates the partitions of one process, with a thread for each, a thread for the group's
 * membership, and a shared transport. Partitions may be added and removed. Thread-safe.
 */
public final class Replicator implements AutoCloseable {
  /** The maximum sleep of a partition's thread, which sends heartbeats and renews requests. */
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /**
   * The time for which a partition's thread collects commits and received messages into one batch:
   * each message costs both sides, and the receiver syncs its transactions.
   */
  private static final long BATCH_MILLIS = 1;

  /** The bytes of one stream that may be in flight. */
  private static final long CREDIT_BYTES = 4 << 20;

  /**
   * The maximum bytes that wait for a partition's thread; further messages are dropped and
   * requested again. In a small heap it is a share of the heap, but at least the credit.
   */
  private static final long MAX_INBOX_BYTES = 64L << 20;

  private final ReplicationTransport transport;
  private final FaultLog faults = new FaultLog();
  private final MembershipGossip gossip;
  private final Consumer<ReplicationMessage.RightsRequest> rights;
  private final int partitions;
  private final long maxInboxBytes;
  private final PartitionReplicator.Context context;
  private final Map<Integer, Worker> workers = new ConcurrentHashMap<>();
  private volatile boolean isStarted;

  /**
   * @param partitions the number of the store's partitions, local and remote
   * @param group the data centres
   * @param newest a vector at or above all acknowledged commits of the store
   * @param arrivals the vector that all partitions have recorded
   * @param rights handles requests for rights; must not block
   * @param openingAt returns the opening of the store that a time belongs to; 0 if unknown
   * @param onSetBack called with a data centre that has transactions of this one that this one
   *     lacks
   * @param everySecond called about once per second, on one thread
   */
  public Replicator(
      int partitions,
      GroupState group,
      Supplier<VectorClock> newest,
      GlobalStableVector arrivals,
      ReplicationTransport transport,
      Consumer<ReplicationMessage.RightsRequest> rights,
      LongUnaryOperator openingAt,
      IntConsumer onSetBack,
      Runnable everySecond) {
    this.partitions = partitions;
    this.maxInboxBytes = Math.max(CREDIT_BYTES, HeapShare.of(MAX_INBOX_BYTES, partitions));
    this.transport = transport;
    this.rights = rights;
    this.gossip = new MembershipGossip(group, this::send, everySecond, faults);
    this.context =
        new PartitionReplicator.Context(
            CREDIT_BYTES,
            group,
            this::send,
            new StoreActivity(),
            newest,
            arrivals,
            openingAt,
            onSetBack,
            faults);
  }

  /** Starts to replicate a partition, after {@link #start} if that was not called yet. */
  public synchronized void add(Partition partition) {
    Worker worker =
        new Worker(partition, new PartitionReplicator(partition, context, System.nanoTime()));
    workers.put(partition.number(), worker);
    if (isStarted) {
      worker.thread.start();
    }
  }

  /** Stops replicating a partition, which may then be closed. */
  public synchronized void remove(int partition) {
    Worker worker = workers.remove(partition);
    if (worker != null) {
      worker.close();
    }
  }

  /** Starts the threads and the transport. */
  public synchronized void start() {
    isStarted = true;
    workers.values().forEach(worker -> worker.thread.start());
    gossip.start();
    transport.open(this::received);
  }

  private void send(int dataCentre, ReplicationMessage message) {
    try {
      Bytes encoded = MessageCodec.encode(message);
      if (message instanceof ReplicationMessage.OfStream part) {
        transport.send(dataCentre, part.head().partition(), encoded);
      } else {
        transport.send(dataCentre, encoded);
      }
    } catch (RuntimeException e) {
      // Counts as lost; messages to other data centres are still sent.
      faults.add("the transport to data centre " + dataCentre, e);
    }
  }

  /** Notifies that another node of the store has committed or received something. */
  public void onActivity() {
    context.activity().onActivity(System.nanoTime());
  }

  /** Requests rights of a bounded counter from a data centre; the message may be lost. */
  public void askForRights(int dataCentre, ReplicationMessage.RightsRequest rightsRequest) {
    send(dataCentre, rightsRequest);
  }

  private void received(Bytes bytes) {
    try {
      ReplicationMessage message = MessageCodec.decode(bytes);
      if (message instanceof ReplicationMessage.Members members) {
        gossip.add(members);
      } else if (message instanceof ReplicationMessage.RightsRequest rightsRequest) {
        rights.accept(rightsRequest);
      } else if (message instanceof ReplicationMessage.OfStream part) {
        gossip.heard(part.head());
        take(part);
      }
    } catch (RuntimeException e) {
      faults.add("a replication message", e);
    }
  }

  private void take(ReplicationMessage.OfStream part) {
    int number = part.head().partition();
    if (number >= partitions) {
      throw new FormatException(
          "a message is for partition %d of %d".formatted(number, partitions));
    }
    Worker worker = workers.get(number);
    if (worker != null) {
      worker.add(part);
    }
    // Otherwise another node owns the partition and the message is lost; the sender learns the new
    // route.
  }

  /**
   * Returns the time at which a data centre's last message arrived, by {@link System#nanoTime};
   * empty if there was none.
   */
  public OptionalLong heardAt(int dataCentre) {
    return gossip.heardAt(dataCentre);
  }

  /** Whether all other active members know the same membership. */
  public boolean isKnownToAll() {
    return gossip.isKnownToAll();
  }

  /** Describes failures and why streams do not arrive, one sentence each. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>(faults.describe());
    problems.addAll(gossip.problems());
    workers.values().forEach(worker -> problems.addAll(worker.problems));
    return problems;
  }

  @Override
  public synchronized void close() {
    transport.close();
    gossip.close();
    workers.values().forEach(Worker::end);
    workers.values().forEach(Worker::close);
  }

  /** The thread of a partition. */
  private final class Worker {
    private final Partition partition;
    private final PartitionReplicator replicator;
    private final Queue<ReplicationMessage.OfStream> inbox = new ConcurrentLinkedQueue<>();
    private final AtomicLong inboxBytes = new AtomicLong();
    private final SupervisedThread thread;
    private volatile List<String> problems = List.of();
    private volatile boolean closed;

    Worker(Partition partition, PartitionReplicator replicator) {
      this.partition = partition;
      this.replicator = replicator;
      this.thread = new SupervisedThread("replication-" + partition.number(), this::run, faults);
    }

    void add(ReplicationMessage.OfStream message) {
      if (inboxBytes.get() > maxInboxBytes) {
        return;
      }
      inboxBytes.addAndGet(sizeOf(message));
      inbox.add(message);
      thread.unpark();
    }

    private void run() {
      partition.streams().setCommitListener(thread::unpark);
      while (!closed) {
        ReplicationMessage.OfStream message = inbox.poll();
        while (message != null && !closed) {
          inboxBytes.addAndGet(-sizeOf(message));
          replicator.receive(message, System.nanoTime());
          message = inbox.poll();
        }
        if (!closed) {
          replicator.tick(System.nanoTime());
          problems = List.copyOf(replicator.problems());
          LockSupport.parkNanos(this, TICK_NANOS);
          awaitBatch();
        }
      }
    }

    /** Waits for further commits and messages. */
    private void awaitBatch() {
      try {
        Thread.sleep(BATCH_MILLIS);
      } catch (InterruptedException e) {
        // Only close ends this thread, through the flag.
      }
    }

    void end() {
      closed = true;
      partition.streams().setCommitListener(() -> {});
      thread.unpark();
    }

    void close() {
      end();
      thread.join();
    }

    private static long sizeOf(ReplicationMessage.OfStream message) {
      return 100
          + (message instanceof ReplicationMessage.StreamPart part ? part.batch().bytes() : 0);
    }
  }
}
