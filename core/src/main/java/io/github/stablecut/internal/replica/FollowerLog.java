package io.github.stablecut.internal.replica;

import io.github.stablecut.journal.LogEpochs;
import io.github.stablecut.journal.LogSpace;
import java.util.List;

/**
 * The log of a copy that follows: it becomes that of a leader, group by group. Confined to the
 * copy's thread.
 */
final class FollowerLog {
  private final String self;
  private final ReplicaLog log;
  private final ReplicaHost host;

  /** Nobody changes records below it any more. */
  private long committed;

  /** The epoch of the last group that was taken. */
  private long source;

  /** The log is that of the source's leader below it. */
  private long matched = 1;

  /** The log has lost nothing any more once it is the source's leader's below it. */
  private long wholeAt = Long.MAX_VALUE;

  /** What the source's leader has said last to be committed. */
  private long leaders = Long.MAX_VALUE;

  FollowerLog(String self, ReplicaLog log, ReplicaHost host) {
    this.self = self;
    this.log = log;
    this.host = host;
    this.committed = log.first();
  }

  /** All records below it are known to be committed. */
  long committed() {
    return committed;
  }

  /** All records below a number are committed, as this copy knows of its own epoch. */
  void commit(long next) {
    committed = next;
  }

  /** From now on it takes groups of an epoch's leader. */
  void follow(long epoch) {
    if (source != epoch) {
      source = epoch;
      matched = 1;
      leaders = Long.MAX_VALUE;
      wholeAt = Long.MAX_VALUE;
    }
  }

  /** The leader of an epoch tells where its log ends, after the log here has lost its end. */
  void wholeAt(long epoch, long next) {
    if (epoch == source) {
      wholeAt = next;
      restore();
    }
  }

  /** Takes note of that the log has all again that it may have acknowledged. */
  private void restore() {
    if (matched >= wholeAt && log.epochs().last() == source && log.shortened() != 0) {
      log.restored();
    }
  }

  /** Whether it has all that the leader has said to be committed. */
  boolean isUpToDate() {
    return matched >= leaders;
  }

  /** Whether it lacks what comes before the oldest record of the leader. */
  boolean isBehind(long first) {
    return log.first() < first && matched <= first;
  }

  /** Takes a leader's group, and acknowledges what the log has of it. */
  void take(String leader, ReplicaMessage.Group group) {
    long first = group.first();
    leaders = group.committed();
    boolean isMatch =
        first <= log.next()
            && (first <= committed || log.epochs().at(first - 1) == group.previousEpoch());
    if (!isMatch) {
      host.send(leader, new ReplicaMessage.Differs(group.epoch(), log.next(), log.epochs()));
      return;
    }
    int known = known(group);
    LogSpace room = room(group.records(), known);
    // The header of an epoch is small, and there is room for that.
    if (room == LogSpace.NONE && !group.records().isEmpty()) {
      matched = Math.max(matched, first + known);
    } else {
      append(group, known);
      matched = Math.max(matched, first + group.records().size());
    }
    restore();
    told(group.epoch(), group.committed());
    boolean isInEpoch = log.epochs().last() == group.epoch();
    host.send(leader, new ReplicaMessage.Acknowledged(group.epoch(), matched, isInEpoch, room));
  }

  /** The leader of an epoch has told that all records below a number are committed. */
  void told(long epoch, long next) {
    long told = Math.min(next, matched);
    if (epoch == source && told > committed) {
      committed = told;
      host.committed(committed);
    }
  }

  /** How much there is for those records of a group that are not here. */
  private LogSpace room(List<LogRecord> records, int known) {
    long bytes = 0;
    for (LogRecord one : records.subList(known, records.size())) {
      bytes += one.body().length;
    }
    return log.room(bytes);
  }

  /** How many of a group's first records are here. */
  private int known(ReplicaMessage.Group group) {
    List<LogRecord> records = group.records();
    int known = 0;
    LogEpochs epochs = log.epochs();
    while (known < records.size()
        && group.first() + known < log.next()
        && (group.first() + known < committed
            || epochs.at(group.first() + known) == group.recordsEpoch())) {
      known++;
    }
    return known;
  }

  private void append(ReplicaMessage.Group group, int known) {
    List<LogRecord> records = group.records();
    LogEpochs epochs = log.epochs();
    boolean isNew = known < records.size();
    boolean isHeader = records.isEmpty() && group.recordsEpoch() == group.epoch();
    boolean isOther = epochs.last() != group.recordsEpoch();
    if ((isNew && (isOther || group.first() + known < log.next())) || (isHeader && isOther)) {
      begin(group.recordsEpoch(), group.first() + known);
    }
    if (isNew) {
      log.append(records.subList(known, records.size()));
    }
  }

  /** Begins an epoch at a record, which is cut off if it is there. */
  private void begin(long epoch, long number) {
    if (number < committed) {
      throw new ReplicaInvariantException(
          "%s: record %d is committed, and the leader of epoch %d has another one: report this"
              .formatted(self, number, epoch));
    }
    if (number < log.next()) {
      log.cut(number, epoch);
    } else {
      log.beginEpoch(epoch);
    }
  }
}
