package io.github.stablecut.internal.replica;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.journal.LogEpochs;
import io.github.stablecut.journal.LogSpace;
import java.util.List;

/** A message between two copies of a partition. Immutable. */
public sealed interface ReplicaMessage {
  /** The epoch that it belongs to. */
  long epoch();

  /** Hands it over to what handles messages of its kind. */
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
   * Records of the leader's log; without any it says that the leader is there, and that its epoch
   * begins at the first number, or earlier.
   *
   * @param epoch the leader's
   * @param first the number of the first record
   * @param previousEpoch that of the record before it
   * @param recordsEpoch that of the records
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
   * A copy's log is the leader's below a number, synced.
   *
   * @param isInEpoch whether it has the header of the leader's epoch, too
   * @param room how much there is on its disk; if none, it takes no more
   */
  record Acknowledged(long epoch, long next, boolean isInEpoch, LogSpace room)
      implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.acknowledged(this);
    }
  }

  /**
   * A copy does not have what comes before a group.
   *
   * @param next the number behind its last record
   * @param epochs of its records
   */
  record Differs(long epoch, long next, LogEpochs epochs) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.differs(this);
    }
  }

  /** A copy has promised this later epoch. */
  record Superseded(long epoch) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.superseded(this);
    }
  }

  /** A candidate asks for the promise to take no group of an earlier epoch. */
  record Seal(long epoch) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.seal(this);
    }
  }

  /** The promise, durable, and where the copy's log ends. */
  record Promised(long epoch, LogEnd end) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.promised(this);
    }
  }

  /** A leader asks whether it still leads; so it is there. */
  record Confirm(long epoch, long round) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.confirm(this);
    }
  }

  /** The copy has promised no later epoch. */
  record Confirmed(long epoch, long round) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.confirmed(this);
    }
  }

  /** A voter that hears no leader asks whether the other one does. */
  record Inquiry(long epoch, long round) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.inquiry(this);
    }
  }

  /**
   * What a voter answers.
   *
   * @param isSilent whether it hears no leader either
   * @param end where its log ends
   */
  record Answer(long epoch, long round, boolean isSilent, LogEnd end) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.answer(this);
    }
  }

  /**
   * A copy that is no voter hears no leader: whoever leads is to send it the log.
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
   * The leader has dropped records that a copy lacks.
   *
   * @param first the number of the oldest one that it has
   */
  record Behind(long epoch, long first) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.behind(this);
    }
  }

  /**
   * Asks the leader for a part of a file of its checkpoint.
   *
   * @param file empty to begin: then {@link Files} is the answer, and {@link Part} otherwise
   * @param from the offset
   */
  record Fetch(long epoch, String file, long from) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.fetch(this);
    }
  }

  /**
   * What a checkpoint of the leader consists of, which stays there while it is fetched.
   *
   * @param first its log goes on with this record, or an earlier one
   * @param firstEpoch the epoch of that
   * @param files the large ones
   * @param heads the small ones, with their content
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
   * A part of a file.
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

  /** Somebody reads from a copy: it asks the leader up to which time everything is committed. */
  record Reading(long epoch) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.reading(this);
    }
  }

  /**
   * Every commit up to a time, now and for ever, is in records that are committed.
   *
   * @param time of the leader's data centre
   * @param next these are below it
   */
  record Complete(long epoch, long time, long next) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.complete(this);
    }
  }

  /**
   * A copy that may have lost the end of its log asks the leader how far it has to come before its
   * vote counts again.
   *
   * @param mark of that loss ({@link ReplicaLog#shortened}): the answer is none to an earlier
   *     question
   * @param next the number behind its last record
   */
  record Lacking(long epoch, long mark, long next) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.lacking(this);
    }
  }

  /**
   * The answer: what the copy has acknowledged to anybody before it asked was the leader's below a
   * number, or was not committed.
   *
   * @param mark as in the question
   * @param next the number behind the leader's last record
   */
  record Whole(long epoch, long mark, long next) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.whole(this);
    }
  }

  /** Who has led ends in order: the voter that this goes to has its whole log, and is to lead. */
  record TakeOver(long epoch) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.takeOver(this);
    }
  }

  /** The voter that was to take over does not, as it is about to end itself. */
  record Declined(long epoch) implements ReplicaMessage {
    @Override
    public void handTo(Receiver receiver) {
      receiver.declined(this);
    }
  }
}
