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
 * The replication of the partitions in one process: a thread for each, one for what the data
 * centres tell of their group, and a transport that they share. Partitions may come and go.
 * Thread-safe.
 */
public final class Replicator implements AutoCloseable {
  /** How long a partition's thread sleeps at most: it sends heartbeats, and asks again. */
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /**
   * So long a partition's thread lets what is committed and received come together: each message
   * costs both sides, and the receiver syncs what came with it.
   */
  private static final long GATHER_MILLIS = 1;

  /** What may be on its way of one stream. */
  private static final long CREDIT_BYTES = 4 << 20;

  /**
   * What may wait for a partition's thread, at most; more is lost, and asked for again. In a small
   * heap it is a share, but not less than what may be on its way.
   */
  private static final long MAX_INBOX_BYTES = 64L << 20;

  private final ReplicationTransport transport;
  private final FaultLog faults = new FaultLog();
  private final MembershipGossip news;
  private final Consumer<ReplicationMessage.RightsWanted> rights;
  private final int partitions;
  private final long mostInboxBytes;
  private final PartitionReplicator.Context context;
  private final Map<Integer, Worker> workers = new ConcurrentHashMap<>();
  private volatile boolean isStarted;

  /**
   * @param partitions how many the store has, here and elsewhere
   * @param group the data centres
   * @param newest at or above all that was acknowledged in the store
   * @param arrivals up to where everything of others has come to the partitions
   * @param rights takes what others ask for; returns at once
   * @param openingAt the opening of the store that a time belongs to; 0 if that is not known
   * @param onSetBack told of a data centre that has transactions of this one which are not here
   * @param everySecond called about once per second, on one thread
   */
  public Replicator(
      int partitions,
      GroupState group,
      Supplier<VectorClock> newest,
      GlobalStableVector arrivals,
      ReplicationTransport transport,
      Consumer<ReplicationMessage.RightsWanted> rights,
      LongUnaryOperator openingAt,
      IntConsumer onSetBack,
      Runnable everySecond) {
    this.partitions = partitions;
    this.mostInboxBytes = Math.max(CREDIT_BYTES, HeapShare.of(MAX_INBOX_BYTES, partitions));
    this.transport = transport;
    this.rights = rights;
    this.news = new MembershipGossip(group, this::send, everySecond, faults);
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

  /** Replicates a partition from now on, if {@link #start} was called; else from then on. */
  public synchronized void add(Partition partition) {
    Worker worker =
        new Worker(partition, new PartitionReplicator(partition, context, System.nanoTime()));
    workers.put(partition.number(), worker);
    if (isStarted) {
      worker.thread.start();
    }
  }

  /** Replicates a partition no more, which may be closed then. */
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
    news.start();
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
      // As if it were lost; others are sent theirs.
      faults.add("the transport to data centre " + dataCentre, e);
    }
  }

  /** Something was committed or received in the store, on another node. */
  public void happened() {
    context.activity().happened(System.nanoTime());
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
        take(part);
      }
    } catch (RuntimeException e) {
      faults.add("a message of replication", e);
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
    // Otherwise another node has it, and the message is lost: the sender learns who.
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
    workers.values().forEach(worker -> problems.addAll(worker.problems));
    return problems;
  }

  @Override
  public synchronized void close() {
    transport.close();
    news.close();
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
      if (inboxBytes.get() > mostInboxBytes) {
        return;
      }
      var unused = inboxBytes.addAndGet(sizeOf(message));
      inbox.add(message);
      thread.unpark();
    }

    private void run() {
      partition.streams().setCommitListener(thread::unpark);
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
          gather();
        }
      }
    }

    /** Lets some come together. */
    private void gather() {
      try {
        Thread.sleep(GATHER_MILLIS);
      } catch (InterruptedException e) {
        // Only close ends the thread, by the flag.
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
      return 100 + (message instanceof ReplicationMessage.Part part ? part.batch().bytes() : 0);
    }
  }
}
