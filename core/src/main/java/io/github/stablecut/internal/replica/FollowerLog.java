package io.github.stablecut.internal.replica;

import io.github.stablecut.journal.LogEpochs;
import io.github.stablecut.journal.segment.LogSpace;
import java.util.List;

/**
 * The log of a follower, which converges to the leader's log group by group. Confined to the
 * replica's thread.
 */
final class FollowerLog {
  private final String self;
  private final ReplicaLog log;
  private final ReplicaHost host;

  /** All records below it are committed, so they never change. */
  private long committed;

  /** The epoch of the leader that this log follows. */
  private long leaderEpoch;

  /** Below this number the log equals the log of that leader. */
  private long matchedBelow = 1;

  /**
   * The log has recovered everything that it may have lost once it matches the leader's below this
   * number.
   */
  private long recoveryTarget = Long.MAX_VALUE;

  /** The committed watermark that the leader sent last. */
  private long leaderCommitted = Long.MAX_VALUE;

  FollowerLog(String self, ReplicaLog log, ReplicaHost host) {
    this.self = self;
    this.log = log;
    this.host = host;
    this.committed = log.first();
  }

  /** All records below this number are known to be committed. */
  long committed() {
    return committed;
  }

  /** Sets the committed watermark to what this replica learned as the leader. */
  void commit(long next) {
    committed = next;
  }

  /** Follows the leader of an epoch from now on. */
  void follow(long epoch) {
    if (leaderEpoch != epoch) {
      leaderEpoch = epoch;
      matchedBelow = 1;
      leaderCommitted = Long.MAX_VALUE;
      recoveryTarget = Long.MAX_VALUE;
    }
  }

  /**
   * The leader of an epoch reports the end of its log, up to which this shortened log has to
   * recover.
   */
  void setRecoveryTarget(long epoch, long next) {
    if (epoch == leaderEpoch) {
      recoveryTarget = next;
      markRecoveredIfComplete();
    }
  }

  /** Marks the log as recovered once it has everything that it may have acknowledged. */
  private void markRecoveredIfComplete() {
    if (matchedBelow >= recoveryTarget
        && log.epochs().last() == leaderEpoch
        && log.lossMark() != 0) {
      log.markRecovered();
    }
  }

  /** Whether the log has every record that the leader reported as committed. */
  boolean isUpToDate() {
    return matchedBelow >= leaderCommitted;
  }

  /** Whether this log lacks records before the leader's oldest one. */
  boolean isBehind(long first) {
    return log.first() < first && matchedBelow <= first;
  }

  /** Appends a leader's group and acknowledges what the log has of it. */
  void receive(String leader, ReplicaMessage.Group group) {
    long first = group.first();
    leaderCommitted = group.committed();
    boolean isMatch =
        first <= log.next()
            && (first <= committed || log.epochs().at(first - 1) == group.previousEpoch());
    if (!isMatch) {
      host.send(leader, new ReplicaMessage.LogMismatch(group.epoch(), log.next(), log.epochs()));
      return;
    }
    int known = knownRecords(group);
    LogSpace space = spaceFor(group.records(), known);
    // A group without records is only an epoch header, which is small enough to fit.
    if (space == LogSpace.NONE && !group.records().isEmpty()) {
      matchedBelow = Math.max(matchedBelow, first + known);
    } else {
      append(group, known);
      matchedBelow = Math.max(matchedBelow, first + group.records().size());
    }
    markRecoveredIfComplete();
    commitUpTo(group.epoch(), group.committed());
    boolean isInEpoch = log.epochs().last() == group.epoch();
    host.send(
        leader, new ReplicaMessage.Acknowledged(group.epoch(), matchedBelow, isInEpoch, space));
  }

  /** The leader of an epoch reports that all records below a number are committed. */
  void commitUpTo(long epoch, long next) {
    long below = Math.min(next, matchedBelow);
    if (epoch == leaderEpoch && below > committed) {
      committed = below;
      host.committed(committed);
    }
  }

  /** The space for those records of a group that the log lacks. */
  private LogSpace spaceFor(List<LogRecord> records, int known) {
    long bytes = 0;
    for (LogRecord one : records.subList(known, records.size())) {
      bytes += one.body().length;
    }
    return log.spaceAfter(bytes);
  }

  /** Returns the number of a group's first records that the log already has. */
  private int knownRecords(ReplicaMessage.Group group) {
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
      beginEpoch(group.recordsEpoch(), group.first() + known);
    }
    if (isNew) {
      log.append(records.subList(known, records.size()));
    }
  }

  /** Begins an epoch at a record number, cutting off that record and all later ones. */
  private void beginEpoch(long epoch, long number) {
    if (number < committed) {
      throw new ReplicaInvariantException(
          "%s: record %d is committed, but the leader of epoch %d has a different one: please report this bug"
              .formatted(self, number, epoch));
    }
    if (number < log.next()) {
      log.cut(number, epoch);
    } else {
      log.beginEpoch(epoch);
    }
  }
}
