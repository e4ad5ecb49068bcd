package io.github.stablecut.cluster.internal.ring;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.partition.CommitRequest;
import io.github.stablecut.internal.partition.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The bytes of {@link Question}s: a kind, then its parts in order. */
final class QuestionCodec {
  private static final int READ = 1;
  private static final int CHECK = 2;
  private static final int HOLD = 3;
  private static final int RELEASE = 4;
  private static final int COMMIT = 5;
  private static final int LATEST = 6;
  private static final int COMMIT_IF = 7;
  private static final int AWAIT_DURABLE = 8;
  private static final int SCAN = 9;
  private static final int CHECKPOINT = 10;
  private static final int DELIVER = 11;
  private static final int PRESENT = 12;
  private static final int COPY = 13;
  private static final int READ_FILE = 14;
  private static final int QUIET = 15;
  private static final int HAND_OVER = 16;
  private static final int GIVE = 17;
  private static final int KEEP = 18;
  private static final int FETCH = 19;
  private static final int PRESENT_OF = 20;

  /** The most bytes of a file that are asked for at once. */
  static final int MAX_PART_BYTES = 1 << 20;

  private final ProtocolCodec protocol;

  /**
   * @param protocol for messages about transactions of several partitions
   */
  QuestionCodec(ProtocolCodec protocol) {
    this.protocol = protocol;
  }

  /** For questions to a node, which are not about transactions. */
  static QuestionCodec ofNode() {
    return new QuestionCodec(
        new ProtocolCodec(
            driver -> Message.Driver.GONE,
            request -> {
              throw new BadMessageException("a part of a transaction for a node");
            }));
  }

  static Bytes encode(Question question) {
    WireOutput out = new WireOutput(question.largeBytes());
    if (question instanceof Question.Read read) {
      out.kind(READ).bytes(read.id()).vector(read.at());
    } else if (question instanceof Question.Check check) {
      out.kind(CHECK).vector(check.at());
    } else if (question instanceof Question.Hold hold) {
      out.kind(HOLD).number(hold.claim()).vector(hold.at());
    } else if (question instanceof Question.Release release) {
      out.kind(RELEASE).number(release.claim());
    } else if (question instanceof Question.Commit commit) {
      out.kind(COMMIT).bytes(commit.request().toWire());
    } else if (question instanceof Question.Latest latest) {
      out.kind(LATEST).vector(latest.claimed()).size(latest.ids().size());
      latest.ids().forEach(out::bytes);
    } else if (question instanceof Question.CommitIf commit) {
      out.kind(COMMIT_IF).bytes(commit.request().toWire());
      writeTimes(commit.seen(), out);
    } else if (question instanceof Question.AwaitDurable await) {
      out.kind(AWAIT_DURABLE).number(await.epoch()).number(await.time());
    } else if (question instanceof Question.Scan scan) {
      out.kind(SCAN).vector(scan.at()).bytes(scan.from());
      writeOptional(scan.until(), out);
    } else if (question instanceof Question.Checkpoint) {
      out.kind(CHECKPOINT);
    } else if (question instanceof Question.Present) {
      out.kind(PRESENT);
    } else if (question instanceof Question.PresentOf present) {
      out.kind(PRESENT_OF).bytes(present.id());
    } else if (question instanceof Question.Deliver deliver) {
      ProtocolCodec.write(deliver.message(), out.kind(DELIVER));
    } else if (question instanceof Question.Fetch fetch) {
      out.kind(FETCH).text(fetch.from());
    } else if (question instanceof Question.OfMove move) {
      writeMove(move, out);
    }
    return out.toBytes();
  }

  private static void writeMove(Question.OfMove question, WireOutput out) {
    if (question instanceof Question.Copy copy) {
      out.kind(COPY).number(copy.move()).text(copy.to());
    } else if (question instanceof Question.ReadFile read) {
      out.kind(READ_FILE).number(read.move()).text(read.name());
      out.number(read.from()).size(read.length());
    } else if (question instanceof Question.Quiet quiet) {
      out.kind(QUIET).number(quiet.move());
    } else if (question instanceof Question.HandOver handOver) {
      out.kind(HAND_OVER).number(handOver.move());
    } else if (question instanceof Question.Give give) {
      out.kind(GIVE).number(give.move()).text(give.to()).number(give.minEpoch());
    } else if (question instanceof Question.Keep keep) {
      out.kind(KEEP).number(keep.move());
    }
  }

  /** Whether some bytes are a question that may wait for the disk, if they are one. */
  static boolean isForWriters(Bytes bytes) {
    if (bytes.length() == 0) {
      return false;
    }
    return switch (bytes.at(0)) {
      case COMMIT, COMMIT_IF, AWAIT_DURABLE, DELIVER -> true;
      default -> false;
    };
  }

  /** Whether some bytes are about a transaction of several partitions, if they are a question. */
  static boolean isDelivery(Bytes bytes) {
    return bytes.length() > 0 && bytes.at(0) == DELIVER;
  }

  /**
   * The question that some bytes stand for.
   *
   * @param clock of the sender
   * @throws BadMessageException if there is none
   */
  Question decode(Bytes bytes, long clock) {
    WireInput in = new WireInput(bytes, clock);
    int kind = in.kind();
    return in.end(
        switch (kind) {
          case READ -> new Question.Read(in.bytes(), in.vector());
          case CHECK -> new Question.Check(in.vector());
          case HOLD -> new Question.Hold(in.number(), in.vector());
          case RELEASE -> new Question.Release(in.number());
          case COMMIT -> new Question.Commit(protocol.request(in));
          case LATEST -> readLatest(in);
          case COMMIT_IF -> readCommitIf(in);
          case AWAIT_DURABLE -> new Question.AwaitDurable(in.count(), in.time());
          case SCAN -> readScan(in);
          case CHECKPOINT -> new Question.Checkpoint();
          case PRESENT -> new Question.Present();
          case PRESENT_OF -> new Question.PresentOf(in.bytes());
          case COPY -> new Question.Copy(in.number(), in.text());
          case READ_FILE ->
              new Question.ReadFile(in.number(), in.text(), in.count(), readLength(in));
          case QUIET -> new Question.Quiet(in.number());
          case HAND_OVER -> new Question.HandOver(in.number());
          case GIVE -> new Question.Give(in.number(), in.text(), in.count());
          case KEEP -> new Question.Keep(in.number());
          case FETCH -> new Question.Fetch(in.text());
          case DELIVER -> new Question.Deliver(protocol.read(in));
          default -> throw new BadMessageException("question " + kind);
        });
  }

  private static int readLength(WireInput in) {
    int length = in.small();
    if (length > MAX_PART_BYTES) {
      throw new BadMessageException("%,d bytes of a file at once".formatted(length));
    }
    return length;
  }

  private static Question readLatest(WireInput in) {
    VectorClock claimed = in.vector();
    List<Bytes> ids = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      ids.add(in.bytes());
    }
    return new Question.Latest(claimed, ids);
  }

  private Question readCommitIf(WireInput in) {
    CommitRequest request = protocol.request(in);
    return new Question.CommitIf(readTimes(in), request);
  }

  private static Question readScan(WireInput in) {
    VectorClock at = in.vector();
    Bytes from = in.bytes();
    return new Question.Scan(from, readOptional(in), at);
  }

  static void writeTimes(Map<Bytes, Long> times, WireOutput out) {
    out.size(times.size());
    times.forEach((id, time) -> out.bytes(id).number(time));
  }

  static Map<Bytes, Long> readTimes(WireInput in) {
    Map<Bytes, Long> times = new HashMap<>();
    for (int i = in.size(); i > 0; i--) {
      Bytes id = in.bytes();
      times.put(id, in.time());
    }
    return times;
  }

  static void writeOptional(Optional<Bytes> bytes, WireOutput out) {
    out.kind(bytes.isPresent() ? 1 : 0);
    bytes.ifPresent(out::bytes);
  }

  static Optional<Bytes> readOptional(WireInput in) {
    return in.kind() == 0 ? Optional.empty() : Optional.of(in.bytes());
  }
}
