package io.github.stablecut.internal.replication;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.thread.Faults;
import io.github.stablecut.internal.thread.SupervisedThread;
import io.github.stablecut.replication.ReplicationTransport;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;

/**
 * The replication of a store in one process: a thread for each partition, one for what the data
 * centres tell of their group, and a transport that they share. Thread-safe.
 */
public final class Replicator implements AutoCloseable {
  /** How long a partition's thread sleeps at most: it sends heartbeats, and asks again. */
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** What may be on its way of one stream. */
  private static final long CREDIT_BYTES = 4 << 20;

  /** What may wait for a partition's thread; more is lost, and asked for again. */
  private static final long MAX_INBOX_BYTES = 64L << 20;

  private final ReplicationTransport transport;
  private final Faults faults = new Faults();
  private final MemberNews news;
  private final Consumer<ReplicationMessage.RightsWanted> rights;
  private final List<Worker> workers = new ArrayList<>();
  private volatile boolean closed;

  /**
   * @param partitions all of the store, by number
   * @param group the data centres
   * @param newest at or above all that was acknowledged in the store
   * @param rights takes what others ask for; returns at once
   * @param openingAt the opening of the store that a time belongs to; 0 if that is not known
   * @param onSetBack told of a data centre that has transactions of this one which are not here
   * @param everySecond called about once per second, on one thread
   */
  public Replicator(
      List<Partition> partitions,
      Group group,
      Supplier<VectorClock> newest,
      ReplicationTransport transport,
      Consumer<ReplicationMessage.RightsWanted> rights,
      LongUnaryOperator openingAt,
      IntConsumer onSetBack,
      Runnable everySecond) {
    this.transport = transport;
    this.rights = rights;
    this.news = new MemberNews(group, this::send, everySecond, faults);
    PartitionReplicator.Surroundings surroundings =
        new PartitionReplicator.Surroundings(
            CREDIT_BYTES,
            group,
            this::send,
            new Activity(),
            newest,
            new RecordedArrivals(partitions.size()),
            openingAt,
            onSetBack,
            faults);
    for (Partition partition : partitions) {
      workers.add(
          new Worker(
              partition, new PartitionReplicator(partition, surroundings, System.nanoTime())));
    }
  }

  /** Starts the threads and the transport. */
  public void start() {
    workers.forEach(worker -> worker.thread.start());
    news.start();
    transport.open(this::received);
  }

  private void send(int dataCentre, ReplicationMessage message) {
    try {
      transport.send(dataCentre, MessageCodec.encode(message));
    } catch (RuntimeException e) {
      // As if it were lost; others are sent theirs.
      faults.add("the transport to data centre " + dataCentre, e);
    }
  }

  /** Asks a data centre for rights of a bounded counter; the message may be lost. */
  public void askForRights(int dataCentre, ReplicationMessage.RightsWanted wanted) {
    send(dataCentre, wanted);
  }

  private void received(Bytes bytes) {
    try {
      ReplicationMessage message = MessageCodec.decode(bytes);
      if (message instanceof ReplicationMessage.Members members) {
        news.add(members);
      } else if (message instanceof ReplicationMessage.RightsWanted wanted) {
        rights.accept(wanted);
      } else if (message instanceof ReplicationMessage.OfStream part) {
        news.heard(part.head());
        partition(part.head().partition()).add(part);
      }
    } catch (RuntimeException e) {
      faults.add("a message of replication", e);
    }
  }

  private Worker partition(int number) {
    if (number >= workers.size()) {
      throw new FormatException(
          "a message is for partition %d of %d".formatted(number, workers.size()));
    }
    return workers.get(number);
  }

  /** When a data centre was last heard, by {@link System#nanoTime}; empty if it was not. */
  public OptionalLong heardAt(int dataCentre) {
    return news.heardAt(dataCentre);
  }

  /** Whether all others that take part know the same of the group. */
  public boolean isKnownToAll() {
    return news.isKnownToAll();
  }

  /** What was survived, and why streams do not come, one sentence each. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>(faults.describe());
    problems.addAll(news.problems());
    workers.forEach(worker -> problems.addAll(worker.problems));
    return problems;
  }

  @Override
  public void close() {
    closed = true;
    transport.close();
    news.close();
    workers.forEach(worker -> worker.partition.streams().tellOfCommits(() -> {}));
    workers.forEach(worker -> worker.thread.unpark());
    workers.forEach(worker -> worker.thread.join());
  }

  /** The thread of a partition. */
  private final class Worker {
    private final Partition partition;
    private final PartitionReplicator replicator;
    private final Queue<ReplicationMessage.OfStream> inbox = new ConcurrentLinkedQueue<>();
    private final AtomicLong inboxBytes = new AtomicLong();
    private final SupervisedThread thread;
    private volatile List<String> problems = List.of();

    Worker(Partition partition, PartitionReplicator replicator) {
      this.partition = partition;
      this.replicator = replicator;
      this.thread = new SupervisedThread("replication-" + partition.number(), this::run, faults);
    }

    void add(ReplicationMessage.OfStream message) {
      if (inboxBytes.get() > MAX_INBOX_BYTES) {
        return;
      }
      var unused = inboxBytes.addAndGet(sizeOf(message));
      inbox.add(message);
      thread.unpark();
    }

    private void run() {
      partition.streams().tellOfCommits(thread::unpark);
      while (!closed) {
        ReplicationMessage.OfStream message = inbox.poll();
        while (message != null && !closed) {
          var unused = inboxBytes.addAndGet(-sizeOf(message));
          replicator.receive(message, System.nanoTime());
          message = inbox.poll();
        }
        if (!closed) {
          replicator.tick(System.nanoTime());
          problems = List.copyOf(replicator.problems());
          LockSupport.parkNanos(this, TICK_NANOS);
        }
      }
    }

    private static long sizeOf(ReplicationMessage.OfStream message) {
      return 100 + (message instanceof ReplicationMessage.Part part ? part.batch().bytes() : 0);
    }
  }
}
