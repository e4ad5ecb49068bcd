package io.github.stablecut.internal.copies;

import io.github.stablecut.journal.DiskRoom;
import io.github.stablecut.journal.LogEpochs;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A log in memory: what it has survives crashes, but not all of the group that a leader is writing.
 * Confined to one thread.
 */
final class SimulatedLog implements CopyLog {
  private final List<LogRecord> records = new ArrayList<>();
  private final List<LogEpochs.Start> starts = new ArrayList<>(List.of(new LogEpochs.Start(0, 1)));
  private long first = 1;
  private DiskRoom room = DiskRoom.ENOUGH;
  private long promised;

  /** The group that the leader is writing. */
  private List<LogRecord> group = List.of();

  private boolean isSynced;

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
    }
  }

  /** Goes on behind a checkpoint. */
  void install(long number, long epoch) {
    records.clear();
    starts.clear();
    starts.add(new LogEpochs.Start(epoch, number));
    first = number;
  }

  @Override
  public LogEpochs epochs() {
    return new LogEpochs(starts);
  }

  @Override
  public DiskRoom room(long bytes) {
    return room;
  }

  @Override
  public void append(List<LogRecord> added) {
    records.addAll(added);
  }

  @Override
  public void beginEpoch(long epoch) {
    starts.removeIf(start -> start.first() >= next());
    starts.add(new LogEpochs.Start(epoch, next()));
  }

  @Override
  public void cut(long number, long epoch) {
    records.subList(index(number), records.size()).clear();
    beginEpoch(epoch);
  }

  @Override
  public List<LogRecord> read(long from, long to, long maxBytes) {
    if (from < first) {
      throw new IllegalArgumentException("record %d was dropped".formatted(from));
    }
    return List.copyOf(records.subList(index(from), index(Math.min(to, from + 2))));
  }

  @Override
  public long promised() {
    return promised;
  }

  @Override
  public void promise(long epoch) {
    promised = epoch;
  }

  LogRecord get(long number) {
    return records.get(index(number));
  }

  void setRoom(DiskRoom now) {
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

  /** The group is durable. */
  void finish() {
    records.addAll(group);
    group = List.of();
  }

  /** Is opened again: of a group that was not synced a part is there. */
  void reopen(Random random) {
    int survived = isSynced ? group.size() : random.nextInt(group.size() + 1);
    records.addAll(group.subList(0, survived));
    group = List.of();
  }
}
