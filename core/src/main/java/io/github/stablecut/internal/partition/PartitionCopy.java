package io.github.stablecut.internal.partition;

import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.internal.copies.Copy;
import io.github.stablecut.internal.copies.CopyHost;
import io.github.stablecut.internal.copies.CopyMessage;
import io.github.stablecut.internal.copies.Follower;
import io.github.stablecut.internal.copies.Layout;
import io.github.stablecut.internal.copies.LayoutRegister;
import io.github.stablecut.internal.copies.Shipping;
import io.github.stablecut.internal.thread.Faults;
import io.github.stablecut.internal.thread.SupervisedThread;
import io.github.stablecut.journal.SegmentStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A copy of a partition: while it follows, a journal that a leader fills, and the state to which
 * what is committed is applied; while it leads, a {@link Partition}, which is made of both. A
 * thread of its own, {@code copy-N}, takes messages of other copies one after the other, and the
 * time. Thread-safe.
 *
 * <p>A copy that can't go on, as its disk has failed, takes part in nothing until it is opened
 * again.
 */
public final class PartitionCopy implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PartitionCopy.class);

  /** Four times a second every copy hears of the leader. */
  private static final long TICK_NANOS = 250_000_000;

  /** What a copy uses of its node. */
  public interface Place {
    /** The journal's files, opened anew. */
    SegmentStore journal();

    /** The checkpoints' files. */
    Directory checkpoints();

    /** Sends a message to the copy on another node; it may be lost. Never waits. */
    void send(String to, CopyMessage message);

    /** What the partition needs in an epoch in which it leads. */
    Surroundings surroundings(long epoch);

    /** The partition serves in an epoch. On the copy's thread, so it returns soon. */
    void leads(Partition partition, long epoch);

    /** The partition does not serve any more, and is closed when this has returned. */
    void follows();
  }

  /**
   * What an operator sees of a copy. Immutable.
   *
   * @param name the copy's
   * @param role what it does
   * @param layout the newest one that it knows
   * @param committed the number behind the last record that it knows to be committed
   * @param next the number behind its last record
   * @param isComplete whether it is a voter, and there are as many as there are to be
   * @param followers what it knows of the other copies while it leads
   * @param failure why it takes part in nothing; empty if it does
   */
  public record Status(
      String name,
      Copy.Role role,
      Layout layout,
      long committed,
      long next,
      boolean isComplete,
      List<Follower> followers,
      Optional<String> failure) {}

  private final String name;
  private final PartitionOptions options;
  private final LayoutRegister register;
  private final Place place;
  private final Faults faults = new Faults();
  private final BlockingQueue<Runnable> events = new LinkedBlockingQueue<>();
  private final CopyInbox inbox = new CopyInbox();

  /** Made before it is needed: there may be no memory left to say why. */
  private final Optional<String> failed;

  private final SupervisedThread thread;
  private final Copy copy;
  private volatile PartitionLog log;
  private volatile @Nullable Partition partition;
  private volatile Status status;
  private volatile Optional<String> failure = Optional.empty();
  private volatile boolean isClosing;
  private volatile boolean isClosed;

  private volatile List<Follower> followers = List.of();

  /** Whether the log is open, and not a partition's. */
  private volatile boolean ownsLog = true;

  /** What is committed and perhaps not applied yet. Confined to the copy's thread. */
  private long committed = 1;

  /**
   * Opens a copy, and starts its thread.
   *
   * @param self its name among the voters
   * @param layout its voters; newer ones come from the register
   */
  public static PartitionCopy start(
      String self,
      Layout layout,
      PartitionOptions options,
      Promises promises,
      LayoutRegister register,
      Place place) {
    PartitionCopy opened = new PartitionCopy(self, layout, options, promises, register, place);
    opened.thread.start();
    return opened;
  }

  private PartitionCopy(
      String self,
      Layout layout,
      PartitionOptions options,
      Promises promises,
      LayoutRegister register,
      Place place) {
    this.name = self;
    this.options = options;
    this.failed = Optional.of(failure("see the log of the node"));
    this.register = register;
    this.place = place;
    this.log = PartitionLog.follow(options, place.journal(), place.checkpoints());
    this.copy =
        new Copy(
            self,
            layout,
            new JournalOfCopy(() -> log.journal(), promises),
            new Host(),
            System.nanoTime());
    this.status = newStatus();
    this.thread = new SupervisedThread("copy-" + options.number(), this::work, faults);
  }

  /** A message of another copy has arrived; it is lost if too many wait. Never waits. */
  public void receive(String from, CopyMessage message) {
    if (inbox.admits(message)) {
      run(
          () -> {
            inbox.taken(message);
            copy.receive(from, message);
          });
    }
  }

  /** What it does now. */
  public Status status() {
    return status;
  }

  private void run(Runnable event) {
    boolean unused = events.add(event);
  }

  private void work() {
    long ticked = System.nanoTime() - TICK_NANOS;
    while (!isClosed) {
      Runnable event = next(ticked + TICK_NANOS - System.nanoTime());
      if (failure.isPresent()) {
        continue;
      }
      try {
        event.run();
        if (System.nanoTime() - ticked >= TICK_NANOS) {
          ticked = System.nanoTime();
          tick();
        }
        if (partition == null) {
          log.applyBelow(committed);
        }
        status = newStatus();
      } catch (Throwable e) {
        if (!isClosing) {
          fail(e);
        }
      }
    }
  }

  private Runnable next(long nanos) {
    try {
      Runnable event = events.poll(Math.max(0, nanos), TimeUnit.NANOSECONDS);
      return event == null ? () -> {} : event;
    } catch (InterruptedException e) {
      return () -> {};
    }
  }

  private void tick() {
    Partition leading = partition;
    if (leading != null && leading.failure().isPresent()) {
      throw new IllegalStateException(leading.failure().get());
    }
    copy.tick(System.nanoTime());
    followers = copy.followers();
  }

  private Status newStatus() {
    return new Status(
        name,
        copy.role(),
        copy.layout(),
        copy.committed(),
        log.journal().nextRecord(),
        copy.isComplete(),
        followers,
        failure);
  }

  /** Takes part in nothing from now on; another copy takes over. */
  private void fail(Throwable cause) {
    failure = failed;
    copy.close();
    status = newStatus();
    failure = Optional.of(failure(cause));
    LOG.error("{}", failure.get(), cause);
    status = newStatus();
  }

  private String failure(Object cause) {
    return "the copy of partition %d takes part in nothing until it is opened again: %s"
        .formatted(options.number(), cause);
  }

  /** What the state machine asks for, on the copy's thread. */
  private final class Host implements CopyHost {
    @Override
    public void send(String to, CopyMessage message) {
      place.send(to, message);
    }

    @Override
    public void read() {
      var unused =
          register
              .read(options.number())
              .whenComplete(
                  (layout, failed) -> {
                    if (failed == null) {
                      run(() -> copy.learned(layout));
                    }
                  });
    }

    @Override
    public void replace(Layout next) {
      var unused =
          register
              .replace(options.number(), next)
              .whenComplete(
                  (hasWon, failed) -> {
                    if (failed == null) {
                      run(() -> copy.replaced(next, hasWon));
                    }
                  });
    }

    @Override
    public void committed(long next) {
      committed = next;
    }

    @Override
    public void lead(Layout layout, Shipping shipping) {
      long epoch = layout.epoch();
      log.applyBelow(log.journal().nextRecord());
      log.journal().setCopies(shipping);
      ownsLog = false;
      Partition leading = Partition.of(options, place.surroundings(epoch), log);
      partition = leading;
      leading.start();
      place.leads(leading, epoch);
    }

    @Override
    public void follow() {
      if (isClosing) {
        return;
      }
      stopLeading();
      if (failure.isEmpty()) {
        log = PartitionLog.follow(options, place.journal(), place.checkpoints());
        ownsLog = true;
      }
    }
  }

  private void stopLeading() {
    Partition leading = partition;
    partition = null;
    place.follows();
    if (leading != null) {
      try {
        leading.close();
      } catch (RuntimeException e) {
        // What it had not committed when it was deposed is not committed now.
        LOG.info("partition {} was closed: {}", options.number(), e.toString());
      }
    }
  }

  /**
   * Closes it. A leader first commits what it was given; another copy leads when nobody has heard
   * of this one for a while.
   */
  @Override
  public void close() {
    isClosing = true;
    Partition leading = partition;
    try {
      if (leading != null) {
        place.follows();
        leading.close();
      }
    } finally {
      isClosed = true;
      run(() -> {});
      thread.join();
      Partition late = partition;
      if (late != null && leading == null) {
        late.close();
      } else if (ownsLog) {
        log.close();
      }
    }
  }
}
