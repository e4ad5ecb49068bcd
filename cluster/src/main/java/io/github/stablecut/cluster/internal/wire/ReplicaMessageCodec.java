package io.github.stablecut.cluster.internal.wire;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.checkpoint.CheckpointFiles;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.replica.LogEnd;
import io.github.stablecut.internal.replica.LogRecord;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.journal.LogEpochs;
import io.github.stablecut.journal.segment.LogSpace;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes and decodes the messages between replicas of a partition: a byte for the kind, the epoch,
 * then the other fields in order. A record is its kind and its body.
 */
final class ReplicaMessageCodec {
  private static final int GROUP = 1;
  private static final int ACKNOWLEDGED = 2;
  private static final int DIFFERS = 3;
  private static final int SUPERSEDED = 4;
  private static final int SEAL = 5;
  private static final int PROMISED = 6;
  private static final int CONFIRM = 7;
  private static final int CONFIRMED = 8;
  private static final int INQUIRY = 9;
  private static final int ANSWER = 10;
  private static final int LEARNING = 11;
  private static final int BEHIND = 12;
  private static final int FETCH = 13;
  private static final int FILES = 14;
  private static final int PART = 15;
  private static final int READING = 16;
  private static final int COMPLETE = 17;
  private static final int TAKE_OVER = 18;
  private static final int DECLINED = 19;
  private static final int LACKING = 20;
  private static final int WHOLE = 21;

  private ReplicaMessageCodec() {}

  /** Returns the approximate size of the parts that may be large. */
  static long largeBytes(ReplicaMessage message) {
    if (message instanceof ReplicaMessage.Group group) {
      return group.records().stream().mapToLong(one -> one.body().length + 8L).sum();
    }
    if (message instanceof ReplicaMessage.CheckpointListing files) {
      return files.smallFiles().stream().mapToLong(one -> one.content().length()).sum();
    }
    return message instanceof ReplicaMessage.FileChunk part ? part.bytes().length() : 0;
  }

  static void write(ReplicaMessage message, WireOutput out) {
    message.dispatch(new Writer(out));
  }

  /** Writes each kind of message. */
  private record Writer(WireOutput out) implements ReplicaMessage.Receiver {
    @CanIgnoreReturnValue
    private WireOutput begin(int kind, ReplicaMessage message) {
      return out.kind(kind).number(message.epoch());
    }

    @Override
    public void group(ReplicaMessage.Group message) {
      begin(GROUP, message)
          .number(message.first())
          .number(message.previousEpoch())
          .number(message.recordsEpoch())
          .number(message.committed())
          .size(message.records().size());
      message.records().forEach(one -> out.kind(one.kind()).bytes(Bytes.wrap(one.body())));
    }

    @Override
    public void acknowledged(ReplicaMessage.Acknowledged message) {
      begin(ACKNOWLEDGED, message)
          .number(message.next())
          .kind(message.isInEpoch() ? 1 : 0)
          .kind(message.space().code());
    }

    @Override
    public void logMismatch(ReplicaMessage.LogMismatch message) {
      begin(DIFFERS, message).number(message.next()).size(message.epochs().starts().size());
      message.epochs().starts().forEach(start -> out.number(start.epoch()).number(start.first()));
    }

    @Override
    public void staleEpoch(ReplicaMessage.StaleEpoch message) {
      begin(SUPERSEDED, message);
    }

    @Override
    public void voteRequest(ReplicaMessage.VoteRequest message) {
      begin(SEAL, message);
    }

    @Override
    public void vote(ReplicaMessage.Vote message) {
      write(message.end(), begin(PROMISED, message));
    }

    @Override
    public void readIndexRequest(ReplicaMessage.ReadIndexRequest message) {
      begin(CONFIRM, message).number(message.round());
    }

    @Override
    public void readIndexConfirmed(ReplicaMessage.ReadIndexConfirmed message) {
      begin(CONFIRMED, message).number(message.round());
    }

    @Override
    public void preVoteRequest(ReplicaMessage.PreVoteRequest message) {
      begin(INQUIRY, message).number(message.round());
    }

    @Override
    public void preVote(ReplicaMessage.PreVote message) {
      write(
          message.end(),
          begin(ANSWER, message).number(message.round()).kind(message.isSilent() ? 1 : 0));
    }

    @Override
    public void learnerRequest(ReplicaMessage.LearnerRequest message) {
      begin(LEARNING, message);
    }

    @Override
    public void recordsDropped(ReplicaMessage.RecordsDropped message) {
      begin(BEHIND, message).number(message.first());
    }

    @Override
    public void checkpointRequest(ReplicaMessage.CheckpointRequest message) {
      begin(FETCH, message).text(message.file()).number(message.from());
    }

    @Override
    public void checkpointListing(ReplicaMessage.CheckpointListing message) {
      begin(FILES, message)
          .number(message.first())
          .number(message.firstEpoch())
          .size(message.files().size());
      message.files().forEach(one -> out.text(one.file()).number(one.bytes()));
      out.size(message.smallFiles().size());
      message.smallFiles().forEach(one -> out.text(one.file()).bytes(one.content()));
    }

    @Override
    public void fileChunk(ReplicaMessage.FileChunk message) {
      begin(PART, message)
          .text(message.file())
          .number(message.from())
          .number(Integer.toUnsignedLong(message.checksum()))
          .bytes(message.bytes());
    }

    @Override
    public void completeTimeRequest(ReplicaMessage.CompleteTimeRequest message) {
      begin(READING, message);
    }

    @Override
    public void completeTime(ReplicaMessage.CompleteTime message) {
      begin(COMPLETE, message).number(message.time()).number(message.next());
    }

    @Override
    public void timeoutNow(ReplicaMessage.TimeoutNow message) {
      begin(TAKE_OVER, message);
    }

    @Override
    public void transferDeclined(ReplicaMessage.TransferDeclined message) {
      begin(DECLINED, message);
    }

    @Override
    public void recoveryRequest(ReplicaMessage.RecoveryRequest message) {
      begin(LACKING, message).number(message.mark()).number(message.next());
    }

    @Override
    public void recoveryTarget(ReplicaMessage.RecoveryTarget message) {
      begin(WHOLE, message).number(message.mark()).number(message.next());
    }

    private static void write(LogEnd end, WireOutput out) {
      out.number(end.epoch()).number(end.next()).kind(end.isShortened() ? 1 : 0);
    }
  }

  static ReplicaMessage read(WireInput in) {
    int kind = in.kind();
    long epoch = in.count();
    return switch (kind) {
      case GROUP -> readGroup(epoch, in);
      case ACKNOWLEDGED ->
          new ReplicaMessage.Acknowledged(epoch, readNumber(in), in.kind() != 0, readLogSpace(in));
      case DIFFERS -> new ReplicaMessage.LogMismatch(epoch, readNumber(in), readEpochs(in));
      case SUPERSEDED -> new ReplicaMessage.StaleEpoch(epoch);
      case SEAL -> new ReplicaMessage.VoteRequest(epoch);
      case PROMISED -> new ReplicaMessage.Vote(epoch, readEnd(in));
      case CONFIRM -> new ReplicaMessage.ReadIndexRequest(epoch, in.count());
      case CONFIRMED -> new ReplicaMessage.ReadIndexConfirmed(epoch, in.count());
      case INQUIRY -> new ReplicaMessage.PreVoteRequest(epoch, in.count());
      case ANSWER -> new ReplicaMessage.PreVote(epoch, in.count(), in.kind() != 0, readEnd(in));
      case LEARNING -> new ReplicaMessage.LearnerRequest(epoch);
      case BEHIND -> new ReplicaMessage.RecordsDropped(epoch, readNumber(in));
      case FETCH -> new ReplicaMessage.CheckpointRequest(epoch, in.text(), in.count());
      case FILES -> readFiles(epoch, in);
      case PART -> readPart(epoch, in);
      case READING -> new ReplicaMessage.CompleteTimeRequest(epoch);
      case COMPLETE -> new ReplicaMessage.CompleteTime(epoch, in.count(), readNumber(in));
      case TAKE_OVER -> new ReplicaMessage.TimeoutNow(epoch);
      case DECLINED -> new ReplicaMessage.TransferDeclined(epoch);
      case LACKING -> new ReplicaMessage.RecoveryRequest(epoch, in.count(), readNumber(in));
      case WHOLE -> new ReplicaMessage.RecoveryTarget(epoch, in.count(), readNumber(in));
      default -> throw new BadMessageException("message " + kind + " between replicas");
    };
  }

  /** Reads the number of a record, or the number after the last record. Numbers begin with 1. */
  private static long readNumber(WireInput in) {
    long number = in.count();
    if (number == 0) {
      throw new BadMessageException("a record number of 0");
    }
    return number;
  }

  private static LogSpace readLogSpace(WireInput in) {
    int code = in.kind();
    return LogSpace.ofCode(code).orElseThrow(() -> new BadMessageException("log space " + code));
  }

  private static ReplicaMessage.Group readGroup(long epoch, WireInput in) {
    long first = readNumber(in);
    long previousEpoch = in.count();
    long recordsEpoch = in.count();
    long committed = readNumber(in);
    List<LogRecord> records = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      int kind = in.kind();
      if (kind < 0) {
        throw new BadMessageException("a record of kind " + kind);
      }
      records.add(new LogRecord((byte) kind, in.bytes().unwrap()));
    }
    if (previousEpoch > recordsEpoch || recordsEpoch > epoch) {
      throw new BadMessageException(
          "records of epoch %d behind one of epoch %d, by the leader of epoch %d"
              .formatted(recordsEpoch, previousEpoch, epoch));
    }
    return new ReplicaMessage.Group(epoch, first, previousEpoch, recordsEpoch, records, committed);
  }

  private static ReplicaMessage.CheckpointListing readFiles(long epoch, WireInput in) {
    long first = readNumber(in);
    long firstEpoch = in.count();
    List<ReplicaMessage.FileLength> files = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      files.add(new ReplicaMessage.FileLength(readFile(in), in.count()));
    }
    List<ReplicaMessage.SmallFile> heads = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      heads.add(new ReplicaMessage.SmallFile(readFile(in), in.bytes()));
    }
    return new ReplicaMessage.CheckpointListing(epoch, first, firstEpoch, files, heads);
  }

  /** Reads a file name, which must not be a path: it becomes a file here. */
  private static String readFile(WireInput in) {
    String file = in.text();
    if (!CheckpointFiles.isOurs(file)) {
      throw new BadMessageException("a checkpoint has no file \"" + file + "\"");
    }
    return file;
  }

  private static ReplicaMessage.FileChunk readPart(long epoch, WireInput in) {
    String file = readFile(in);
    long from = in.count();
    long checksum = in.count();
    if (checksum >> Integer.SIZE != 0) {
      throw new BadMessageException("a checksum of " + checksum);
    }
    return new ReplicaMessage.FileChunk(epoch, file, from, in.bytes(), (int) checksum);
  }

  private static LogEpochs readEpochs(WireInput in) {
    List<LogEpochs.Start> starts = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      starts.add(new LogEpochs.Start(in.count(), readNumber(in)));
    }
    try {
      return new LogEpochs(starts);
    } catch (IllegalArgumentException e) {
      throw new BadMessageException("the epochs of a log", e);
    }
  }

  private static LogEnd readEnd(WireInput in) {
    return new LogEnd(in.count(), readNumber(in), in.kind() != 0);
  }
}
