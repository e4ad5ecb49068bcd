package io.github.stablecut.internal.replica;

import io.github.stablecut.journal.LogEpochs;
import io.github.stablecut.journal.segment.LogSpace;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A log in memory: its synced records survive crashes, but not all of the group that a leader is
 * writing. Confined to one thread.
 */
final class SimulatedLog implements ReplicaLog {
  private final Optional<BrokenRule> broken;
  private final List<LogRecord> records = new ArrayList<>();
  private final List<LogEpochs.Start> starts = new ArrayList<>(List.of(new LogEpochs.Start(0, 1)));

  /** The cached starts of epochs; null if they have changed since. */
  private @Nullable LogEpochs epochs;

  private long first = 1;
  private LogSpace room = LogSpace.ENOUGH;
  private long promised;
  private long shortened;

  /** The group that the leader is writing. */
  private List<LogRecord> group = List.of();

  private boolean isSynced;

  /** The number of last records that are unsynced, if the rule to sync is omitted. */
  private int unsynced;

  SimulatedLog() {
    this(Optional.empty());
  }

  /**
   * @param broken the rule to omit
   */
  SimulatedLog(Optional<BrokenRule> broken) {
    this.broken = broken;
  }

  private boolean isBroken(BrokenRule rule) {
    return broken.isPresent() && broken.get() == rule;
  }

  @Override
  public long next() {
    return first + records.size();
  }

  @Override
  public long first() {
    return first;
  }

  private int index(long number) {
    return (int) (number - first);
  }

  /** Drops the records below a number. */
  void dropBefore(long number) {
    if (number > first) {
      long epoch = epochs().at(number);
      records.subList(0, index(number)).clear();
      first = number;
      starts.removeIf(start -> start.first() <= number);
      starts.add(0, new LogEpochs.Start(epoch, number));
      epochs = null;
    }
  }

  /** Continues after a checkpoint. */
  void install(long number, long epoch) {
    records.clear();
    starts.clear();
    starts.add(new LogEpochs.Start(epoch, number));
    epochs = null;
    first = number;
  }

  @Override
  public LogEpochs epochs() {
    LogEpochs made = epochs;
    if (made == null) {
      made = new LogEpochs(starts);
      epochs = made;
    }
    return made;
  }

  @Override
  public LogSpace spaceAfter(long bytes) {
    return room;
  }

  @Override
  public void append(List<LogRecord> added) {
    records.addAll(added);
    unsynced = added.size();
  }

  @Override
  public void beginEpoch(long epoch) {
    starts.removeIf(start -> start.first() >= next());
    starts.add(new LogEpochs.Start(epoch, next()));
    epochs = null;
  }

  @Override
  public void cut(long number, long epoch) {
    if (isBroken(BrokenRule.NO_TRUNCATION)) {
      starts.removeIf(start -> start.first() >= number);
      starts.add(new LogEpochs.Start(epoch, number));
      epochs = null;
    } else {
      records.subList(index(number), records.size()).clear();
      beginEpoch(epoch);
    }
  }

  @Override
  public List<LogRecord> read(long from, long to, long maxBytes) {
    if (from < first) {
      throw new IllegalArgumentException("record %d was dropped".formatted(from));
    }
    return List.copyOf(records.subList(index(from), index(Math.min(to, from + 2))));
  }

  @Override
  public long promisedEpoch() {
    return promised;
  }

  @Override
  public void promiseEpoch(long epoch) {
    promised = epoch;
  }

  @Override
  public long lossMark() {
    return isBroken(BrokenRule.SHORTENED_VOTES) ? 0 : shortened;
  }

  @Override
  public void markRecovered() {
    shortened = 0;
  }

  /** Whether records behind its end may have been lost. */
  boolean isShortened() {
    return shortened != 0;
  }

  /** Loses some of the last records, while the log is closed. */
  void damage(RandomGenerator random) {
    int lost = Math.min(records.size(), 1 + random.nextInt(4));
    records.subList(records.size() - lost, records.size()).clear();
    starts.removeIf(start -> start.first() > next());
    boolean isHeaderLast = starts.get(starts.size() - 1).first() == next();
    if (starts.size() > 1 && isHeaderLast && random.nextBoolean()) {
      starts.remove(starts.size() - 1);
    }
    epochs = null;
    shorten(random);
  }

  /** Marks a possible loss without losing anything. */
  void shorten(RandomGenerator random) {
    shortened = 1 + random.nextLong(Long.MAX_VALUE);
  }

  LogRecord get(long number) {
    return records.get(index(number));
  }

  void setRoom(LogSpace now) {
    room = now;
  }

  /** The leader writes a group. */
  void write(List<LogRecord> written) {
    group = written;
    isSynced = false;
  }

  boolean isWriting() {
    return !group.isEmpty();
  }

  void sync() {
    isSynced = true;
  }

  boolean isSynced() {
    return isSynced;
  }

  /** Makes the group durable. */
  void finish() {
    records.addAll(group);
    group = List.of();
    unsynced = 0;
  }

  /** Reopens the log with a part of an unsynced group. */
  void reopen(RandomGenerator random) {
    int survived = isSynced ? group.size() : random.nextInt(group.size() + 1);
    records.addAll(group.subList(0, survived));
    group = List.of();
  }

  /** The node crashes and loses its unsynced records. */
  void crash(RandomGenerator random) {
    reopen(random);
    if (isBroken(BrokenRule.EARLY_ACKNOWLEDGEMENT)) {
      int lost = random.nextInt(Math.min(unsynced, records.size()) + 1);
      records.subList(records.size() - lost, records.size()).clear();
      starts.removeIf(start -> start.first() > next());
      epochs = null;
      unsynced = 0;
    }
    if (isBroken(BrokenRule.FORGOTTEN_PROMISE)) {
      promised = epochs().last();
    }
    if (isBroken(BrokenRule.FORGOTTEN_LOSS)) {
      shortened = 0;
    }
  }
}
