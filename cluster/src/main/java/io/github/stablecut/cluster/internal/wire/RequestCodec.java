package io.github.stablecut.cluster.internal.wire;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.CrdtTypes;
import io.github.stablecut.internal.partition.BackupReadRequest;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.watch.CommitFilter;
import io.github.stablecut.internal.watch.CommitReadRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Encodes and decodes {@link Request}s: a byte for the kind, then the fields in order; {@link
 * RequestWriter} writes them.
 */
public final class RequestCodec {
  static final int READ = 1;
  static final int CHECK = 2;
  static final int HOLD = 3;
  static final int RELEASE = 4;
  static final int COMMIT = 5;
  static final int LATEST = 6;
  static final int COMMIT_IF = 7;
  static final int AWAIT_DURABLE = 8;
  static final int SCAN = 9;
  static final int CHECKPOINT = 10;
  static final int DELIVER = 11;
  static final int PRESENT = 12;
  static final int COPY = 13;
  static final int READ_FILE = 14;
  static final int QUIET = 15;
  static final int HAND_OVER = 16;
  static final int GIVE = 17;
  static final int KEEP = 18;
  static final int FETCH = 19;
  static final int PRESENT_OF = 20;
  static final int ASK = 21;
  static final int EXECUTE = 22;
  static final int DOWNSTREAM = 23;
  static final int TO_COPY = 24;
  static final int TO_REGISTER = 25;
  static final int RENEW = 26;
  static final int CLOSE_OWN = 27;
  static final int COMMITS = 28;
  static final int BACKUP = 29;
  static final int BEGIN_REPLICAS = 30;
  static final int EVEN_OUT = 31;

  /** The maximum number of a file's bytes that one request may ask for. */
  static final int MAX_PART_BYTES = 1 << 20;

  private final TransactionMessageCodec protocol;

  /**
   * @param protocol decodes messages about distributed transactions
   */
  public RequestCodec(TransactionMessageCodec protocol) {
    this.protocol = protocol;
  }

  /** Returns a codec for requests to a node, which carry no transactions. */
  public static RequestCodec ofNode() {
    return new RequestCodec(
        new TransactionMessageCodec(
            driver -> Message.Driver.GONE,
            request -> {
              throw new BadMessageException("a part of a transaction for a node");
            }));
  }

  public static Bytes encode(Request request) {
    WireOutput out = new WireOutput();
    request.handTo(new RequestWriter(out));
    return out.toBytes();
  }

  /** Returns whether an encoded request may wait for the disk. */
  public static boolean isForWriters(Bytes bytes) {
    if (bytes.length() == 0) {
      return false;
    }
    return switch (bytes.at(0)) {
      case COMMIT, COMMIT_IF, EXECUTE, AWAIT_DURABLE, DELIVER, COMMITS, BACKUP -> true;
      default -> false;
    };
  }

  /** Returns whether an encoded request commits, and awaits a reply. */
  public static boolean isCommit(Bytes bytes) {
    if (bytes.length() == 0) {
      return false;
    }
    return switch (bytes.at(0)) {
      case COMMIT, COMMIT_IF, EXECUTE -> true;
      default -> false;
    };
  }

  /** Returns whether an encoded request reads one object, or asks about it. */
  public static boolean isReadOfObject(Bytes bytes) {
    return bytes.length() > 0 && (bytes.at(0) == READ || bytes.at(0) == ASK);
  }

  /** Returns whether an encoded request is a message to a replica of a partition. */
  public static boolean isForReplica(Bytes bytes) {
    return bytes.length() > 0 && bytes.at(0) == TO_COPY;
  }

  /** Returns whether an encoded request delivers a message about a distributed transaction. */
  public static boolean isDelivery(Bytes bytes) {
    return bytes.length() > 0 && bytes.at(0) == DELIVER;
  }

  /**
   * Decodes a request.
   *
   * @param clock the sender's clock
   * @throws BadMessageException if the bytes are malformed
   */
  public Request decode(Bytes bytes, long clock) {
    WireInput in = new WireInput(bytes, clock);
    int kind = in.kind();
    return in.end(
        switch (kind) {
          case READ -> new Request.Read(in.bytes(), in.bytes(), in.vector());
          case ASK -> new Request.Query(in.bytes(), readType(in), in.bytes(), in.vector());
          case DOWNSTREAM ->
              new Request.Downstream(in.bytes(), readType(in), in.bytes(), in.vector(), in.small());
          case CHECK -> new Request.Check(in.vector());
          case HOLD -> new Request.HoldLease(in.number(), in.vector());
          case RELEASE -> new Request.ReleaseLease(in.number());
          case COMMIT -> new Request.Commit(protocol.part(in).toRequest());
          case LATEST -> readLatest(in);
          case COMMIT_IF -> readCommitIf(in);
          case EXECUTE -> new Request.Execute(in.vector(), in.bytes());
          case AWAIT_DURABLE -> new Request.AwaitDurable(in.count(), in.vector());
          case SCAN -> readScan(in);
          case COMMITS -> readCommits(in);
          case BACKUP ->
              new Request.Backup(
                  new BackupReadRequest(in.number(), in.vector(), in.text(), in.count()));
          case CHECKPOINT -> new Request.Checkpoint();
          case PRESENT -> new Request.Present();
          case PRESENT_OF -> new Request.PresentOf(in.bytes());
          case COPY -> new Request.StartHandoff(in.number(), in.text());
          case READ_FILE ->
              new Request.ReadFile(in.number(), in.text(), in.count(), readLength(in));
          case QUIET -> new Request.SuspendCheckpoints(in.number());
          case HAND_OVER -> new Request.Fence(in.number());
          case GIVE -> new Request.CompleteHandoff(in.number(), in.text(), in.count());
          case KEEP -> new Request.AbortHandoff(in.number());
          case FETCH -> new Request.Fetch(in.text());
          case TO_COPY -> new Request.ToReplica(in.text(), in.text(), ReplicaMessageCodec.read(in));
          case TO_REGISTER -> new Request.ToRegister(in.text(), in.bytes());
          case CLOSE_OWN -> new Request.CloseOwn();
          case RENEW -> new Request.Renew(in.text(), in.number());
          case BEGIN_REPLICAS -> new Request.BeginReplicas(in.small());
          case EVEN_OUT -> new Request.BalanceLeaders();
          case DELIVER -> new Request.Deliver(protocol.read(in));
          default -> throw new BadMessageException("request " + kind);
        });
  }

  private static CrdtType<?, ?, ?, ?> readType(WireInput in) {
    int typeId = in.small();
    return CrdtTypes.byId(typeId)
        .orElseThrow(() -> new BadMessageException("type number " + typeId));
  }

  private static int readLength(WireInput in) {
    int length = in.small();
    if (length > MAX_PART_BYTES) {
      throw new BadMessageException("%,d bytes of a file at once".formatted(length));
    }
    return length;
  }

  private static Request readLatest(WireInput in) {
    VectorClock claimed = in.vector();
    List<Bytes> ids = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      ids.add(in.bytes());
    }
    return new Request.Latest(claimed, ids);
  }

  private Request readCommitIf(WireInput in) {
    CommitRequest request = protocol.part(in).toRequest();
    return new Request.CommitIf(readSeen(in), request);
  }

  private static Request readCommits(WireInput in) {
    long reader = in.number();
    long state = in.number();
    VectorClock after = in.vector();
    Bytes from = in.bytes();
    IdRange range =
        readOptional(in)
            .map(until -> IdRange.between(from, until))
            .orElseGet(() -> IdRange.from(from));
    CommitFilter filter = new CommitFilter(range, in.kind() != 0);
    return new Request.Commits(
        new CommitReadRequest(reader, state, after, filter, in.vector(), in.small()));
  }

  private static Request readScan(WireInput in) {
    VectorClock at = in.vector();
    Bytes from = in.bytes();
    return new Request.Scan(from, readOptional(in), at, in.kind() != 0, in.kind() != 0, in.small());
  }

  static void writeSeen(Map<Bytes, VectorClock> seen, WireOutput out) {
    out.size(seen.size());
    seen.forEach((id, vector) -> out.bytes(id).vector(vector));
  }

  static Map<Bytes, VectorClock> readSeen(WireInput in) {
    Map<Bytes, VectorClock> seen = new HashMap<>();
    for (int i = in.size(); i > 0; i--) {
      Bytes id = in.bytes();
      seen.put(id, in.vector());
    }
    return seen;
  }

  static void writeOptional(Optional<Bytes> bytes, WireOutput out) {
    out.kind(bytes.isPresent() ? 1 : 0);
    bytes.ifPresent(out::bytes);
  }

  static List<Bytes> readAll(WireInput in) {
    List<Bytes> all = new ArrayList<>();
    for (int i = in.size(); i > 0; i--) {
      all.add(in.bytes());
    }
    return all;
  }

  static Optional<Bytes> readOptional(WireInput in) {
    return in.kind() == 0 ? Optional.empty() : Optional.of(in.bytes());
  }
}
