package io.github.stablecut.internal.replica;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.journal.LogEpochs;
import io.github.stablecut.journal.LogSpace;
import java.util.List;

/** A message between two replicas of a partition. Immutable. */
public sealed interface ReplicaMessage {
  /** The epoch of the message. */
  long epoch();

  /** Passes the message to the receiver's method for its kind. */
  void handTo(Receiver receiver);

  /** Handles each kind of message. */
  interface Receiver {
    void group(Group message);

    void acknowledged(Acknowledged message);

    void differs(Differs message);

    void superseded(Superseded message);

    void seal(Seal message);

    void promised(Promised message);

    void confirm(Confirm message);

    void confirmed(Confirmed message);

    void inquiry(Inquiry message);

    void answer(Answer message);

    void learning(Learning message);

    void behind(Behind message);

    void fetch(Fetch message);

    void files(Files message);

    void part(Part message);

    void reading(Reading message);

    void complete(Complete message);

    void takeOver(TakeOver message);

    void declined(Declined message);

    void lacking(Lacking message);

    void whole(Whole message);
  }

  /**
   * Records of the leader's log. Without records it is a heartbeat, and states that the leader's
   * epoch begins at or before the first number.
   *
   * @param epoch the leader's
   * @param first the number of the first record
   * @param previousEpoch the epoch of the record before it
   * @param recordsEpoch the epoch of the records
   * @param committed all records below it are committed
   */
  record Group(
      long epoch,
      long first,
      long previousEpoch,
      long recordsEpoch,
      List<LogRecord> records,
      long committed)
      implements ReplicaMessage {
    /** Copies the list. */
    public Group {
      records = List.copyOf(records);
    }

    @Override
    public void handTo(Receiver receiver) {
      receiver.group(this);
    }
  }

  /**
   * A replica's log equals the leader's below a number, and is synced.
   *
   * @param isInEpoch whether it also has the header of the leader's epoch
   * @param room its disk space; with none, it accepts no more records
   */
  record Acknowledged(long epoch, long next, boolean isInEpoch, LogSpace room)
      implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.acknowledged(this);
    }
  }

  /**
   * A replica's log does not match the leader's before a group.
   *
   * @param next the number after its last record
   * @param epochs the epochs of its records
   */
  record Differs(long epoch, long next, LogEpochs epochs) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.differs(this);
    }
  }

  /** The replica has promised this later epoch. */
  record Superseded(long epoch) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.superseded(this);
    }
  }

  /** A candidate asks a voter to accept no group of an earlier epoch. */
  record Seal(long epoch) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.seal(this);
    }
  }

  /** A voter's durable consent, with the end of its log. */
  record Promised(long epoch, LogEnd end) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.promised(this);
    }
  }

  /** A leader asks whether it still leads; also a heartbeat. */
  record Confirm(long epoch, long round) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.confirm(this);
    }
  }

  /** The replica has not promised a later epoch. */
  record Confirmed(long epoch, long round) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.confirmed(this);
    }
  }

  /** A voter that hears no leader asks another one whether it hears one. */
  record Inquiry(long epoch, long round) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.inquiry(this);
    }
  }

  /**
   * The answer to {@link Inquiry}.
   *
   * @param isSilent whether the voter hears no leader either
   * @param end the end of its log
   */
  record Answer(long epoch, long round, boolean isSilent, LogEnd end) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.answer(this);
    }
  }

  /**
   * A replica that is not a voter hears no leader: it asks the leader for the log.
   *
   * @param epoch the newest that it knows
   */
  record Learning(long epoch) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.learning(this);
    }
  }

  /**
   * The leader has dropped records that a replica lacks.
   *
   * @param first the number of the leader's oldest record
   */
  record Behind(long epoch, long first) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.behind(this);
    }
  }

  /**
   * Asks the leader for its checkpoint: first for the list of files, then for chunks of them.
   *
   * @param file empty to request {@link Files}; otherwise the answer is a {@link Part} of this file
   * @param from the offset
   */
  record Fetch(long epoch, String file, long from) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.fetch(this);
    }
  }

  /**
   * The files of the leader's checkpoint, which the leader retains while it is fetched.
   *
   * @param first the leader's log continues with this record or an earlier one
   * @param firstEpoch the epoch of that record
   * @param files the large files
   * @param heads the small files, with their content
   */
  record Files(long epoch, long first, long firstEpoch, List<Length> files, List<Head> heads)
      implements ReplicaMessage {
    /** Copies the lists. */
    public Files {
      files = List.copyOf(files);
      heads = List.copyOf(heads);
    }

    @Override
    public void handTo(Receiver receiver) {
      receiver.files(this);
    }
  }

  /** A file's name and its length in bytes. */
  record Length(String file, long bytes) {}

  /** A file's name and its content. */
  record Head(String file, Bytes content) {}

  /**
   * A chunk of a file.
   *
   * @param from the offset
   * @param checksum the CRC32C of the bytes
   */
  record Part(long epoch, String file, long from, Bytes bytes, int checksum)
      implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.part(this);
    }
  }

  /**
   * A follower that serves reads asks the leader up to which time every transaction is committed.
   */
  record Reading(long epoch) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.reading(this);
    }
  }

  /**
   * Every commit up to a time, present or future, is in committed records.
   *
   * @param time of the leader's data centre
   * @param next the records are below this number
   */
  record Complete(long epoch, long time, long next) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.complete(this);
    }
  }

  /**
   * A replica that may have lost the end of its log asks the leader how far it has to recover
   * before its vote counts again.
   *
   * @param mark identifies the loss ({@link ReplicaLog#shortened}), so that an answer to an earlier
   *     question is ignored
   * @param next the number after its last record
   */
  record Lacking(long epoch, long mark, long next) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.lacking(this);
    }
  }

  /**
   * The answer to {@link Lacking}. Every record that the replica acknowledged to any leader before
   * it asked is below {@code next} in the leader's log, or was not committed.
   *
   * @param mark as in the question
   * @param next the number after the leader's last record
   */
  record Whole(long epoch, long mark, long next) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.whole(this);
    }
  }

  /** The outgoing leader asks this up-to-date voter to campaign. */
  record TakeOver(long epoch) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.takeOver(this);
    }
  }

  /**
   * The voter declines to take over, because it is shutting down or its log may have lost records.
   */
  record Declined(long epoch) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.declined(this);
    }
  }
}
