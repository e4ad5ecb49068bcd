package io.github.stablecut.internal.replica;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.journal.LogEpochs;
import io.github.stablecut.journal.segment.LogSpace;
import java.util.List;

/** A message between two replicas of a partition. Immutable. */
public sealed interface ReplicaMessage {
  /** The epoch of the message. */
  long epoch();

  /** Passes the message to the receiver's method for its kind. */
  void dispatch(Receiver receiver);

  /** Handles each kind of message. */
  interface Receiver {
    void group(Group message);

    void acknowledged(Acknowledged message);

    void logMismatch(LogMismatch message);

    void staleEpoch(StaleEpoch message);

    void voteRequest(VoteRequest message);

    void vote(Vote message);

    void readIndexRequest(ReadIndexRequest message);

    void readIndexConfirmed(ReadIndexConfirmed message);

    void preVoteRequest(PreVoteRequest message);

    void preVote(PreVote message);

    void learnerRequest(LearnerRequest message);

    void recordsDropped(RecordsDropped message);

    void checkpointRequest(CheckpointRequest message);

    void checkpointListing(CheckpointListing message);

    void fileChunk(FileChunk message);

    void completeTimeRequest(CompleteTimeRequest message);

    void completeTime(CompleteTime message);

    void timeoutNow(TimeoutNow message);

    void transferDeclined(TransferDeclined message);

    void recoveryRequest(RecoveryRequest message);

    void recoveryTarget(RecoveryTarget message);
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
    public void dispatch(Receiver receiver) {
      receiver.group(this);
    }
  }

  /**
   * A replica's log equals the leader's below a number, and is synced.
   *
   * @param isInEpoch whether it also has the header of the leader's epoch
   * @param space its disk space; with none, it accepts no more records
   */
  record Acknowledged(long epoch, long next, boolean isInEpoch, LogSpace space)
      implements ReplicaMessage {
    @Override
    public void dispatch(Receiver receiver) {
      receiver.acknowledged(this);
    }
  }

  /**
   * A replica's log does not match the leader's before a group.
   *
   * @param next the number after its last record
   * @param epochs the epochs of its records
   */
  record LogMismatch(long epoch, long next, LogEpochs epochs) implements ReplicaMessage {
    @Override
    public void dispatch(Receiver receiver) {
      receiver.logMismatch(this);
    }
  }

  /** The replica has promised this later epoch. */
  record StaleEpoch(long epoch) implements ReplicaMessage {
    @Override
    public void dispatch(Receiver receiver) {
      receiver.staleEpoch(this);
    }
  }

  /** A candidate asks a voter to accept no group of an earlier epoch. */
  record VoteRequest(long epoch) implements ReplicaMessage {
    @Override
    public void dispatch(Receiver receiver) {
      receiver.voteRequest(this);
    }
  }

  /** A voter's durable consent, with the end of its log. */
  record Vote(long epoch, LogEnd end) implements ReplicaMessage {
    @Override
    public void dispatch(Receiver receiver) {
      receiver.vote(this);
    }
  }

  /** A leader asks whether it still leads; also a heartbeat. */
  record ReadIndexRequest(long epoch, long round) implements ReplicaMessage {
    @Override
    public void dispatch(Receiver receiver) {
      receiver.readIndexRequest(this);
    }
  }

  /** The replica has not promised a later epoch. */
  record ReadIndexConfirmed(long epoch, long round) implements ReplicaMessage {
    @Override
    public void dispatch(Receiver receiver) {
      receiver.readIndexConfirmed(this);
    }
  }

  /** A voter that hears no leader asks another one whether it hears one. */
  record PreVoteRequest(long epoch, long round) implements ReplicaMessage {
    @Override
    public void dispatch(Receiver receiver) {
      receiver.preVoteRequest(this);
    }
  }

  /**
   * The answer to {@link PreVoteRequest}.
   *
   * @param isSilent whether the voter hears no leader either
   * @param end the end of its log
   */
  record PreVote(long epoch, long round, boolean isSilent, LogEnd end) implements ReplicaMessage {
    @Override
    public void dispatch(Receiver receiver) {
      receiver.preVote(this);
    }
  }

  /**
   * A replica that is not a voter hears no leader: it asks the leader for the log.
   *
   * @param epoch the newest that it knows
   */
  record LearnerRequest(long epoch) implements ReplicaMessage {
    @Override
    public void dispatch(Receiver receiver) {
      receiver.learnerRequest(this);
    }
  }

  /**
   * The leader has dropped records that a replica lacks.
   *
   * @param first the number of the leader's oldest record
   */
  record RecordsDropped(long epoch, long first) implements ReplicaMessage {
    @Override
    public void dispatch(Receiver receiver) {
      receiver.recordsDropped(this);
    }
  }

  /**
   * Asks the leader for its checkpoint: first for the list of files, then for chunks of them.
   *
   * @param file empty to request {@link CheckpointListing}; otherwise the answer is a {@link
   *     FileChunk} of this file
   * @param from the offset
   */
  record CheckpointRequest(long epoch, String file, long from) implements ReplicaMessage {
    @Override
    public void dispatch(Receiver receiver) {
      receiver.checkpointRequest(this);
    }
  }

  /**
   * The files of the leader's checkpoint, which the leader retains while it is fetched.
   *
   * @param first the leader's log continues with this record or an earlier one
   * @param firstEpoch the epoch of that record
   * @param files the large files
   * @param smallFiles the small files, with their content
   */
  record CheckpointListing(
      long epoch, long first, long firstEpoch, List<FileLength> files, List<SmallFile> smallFiles)
      implements ReplicaMessage {
    /** Copies the lists. */
    public CheckpointListing {
      files = List.copyOf(files);
      smallFiles = List.copyOf(smallFiles);
    }

    @Override
    public void dispatch(Receiver receiver) {
      receiver.checkpointListing(this);
    }
  }

  /** A file's name and its length in bytes. */
  record FileLength(String file, long bytes) {}

  /** A file's name and its content. */
  record SmallFile(String file, Bytes content) {}

  /**
   * A chunk of a file.
   *
   * @param from the offset
   * @param checksum the CRC32C of the bytes
   */
  record FileChunk(long epoch, String file, long from, Bytes bytes, int checksum)
      implements ReplicaMessage {
    @Override
    public void dispatch(Receiver receiver) {
      receiver.fileChunk(this);
    }
  }

  /**
   * A follower that serves reads asks the leader up to which time every transaction is committed.
   */
  record CompleteTimeRequest(long epoch) implements ReplicaMessage {
    @Override
    public void dispatch(Receiver receiver) {
      receiver.completeTimeRequest(this);
    }
  }

  /**
   * Every commit up to a time, present or future, is in committed records.
   *
   * @param time of the leader's data centre
   * @param next the records are below this number
   */
  record CompleteTime(long epoch, long time, long next) implements ReplicaMessage {
    @Override
    public void dispatch(Receiver receiver) {
      receiver.completeTime(this);
    }
  }

  /**
   * A replica that may have lost the end of its log asks the leader how far it has to recover
   * before its vote counts again.
   *
   * @param mark identifies the loss ({@link ReplicaLog#lossMark}), so that an answer to an earlier
   *     question is ignored
   * @param next the number after its last record
   */
  record RecoveryRequest(long epoch, long mark, long next) implements ReplicaMessage {
    @Override
    public void dispatch(Receiver receiver) {
      receiver.recoveryRequest(this);
    }
  }

  /**
   * The answer to {@link RecoveryRequest}. Every record that the replica acknowledged to any leader
   * before it asked is below {@code next} in the leader's log, or was not committed.
   *
   * @param mark as in the question
   * @param next the number after the leader's last record
   */
  record RecoveryTarget(long epoch, long mark, long next) implements ReplicaMessage {
    @Override
    public void dispatch(Receiver receiver) {
      receiver.recoveryTarget(this);
    }
  }

  /** The outgoing leader asks this up-to-date voter to campaign. */
  record TimeoutNow(long epoch) implements ReplicaMessage {
    @Override
    public void dispatch(Receiver receiver) {
      receiver.timeoutNow(this);
    }
  }

  /**
   * The voter declines to take over, because it is shutting down or its log may have lost records.
   */
  record TransferDeclined(long epoch) implements ReplicaMessage {
    @Override
    public void dispatch(Receiver receiver) {
      receiver.transferDeclined(this);
    }
  }
}
