package io.github.stablecut.cluster.internal.wire;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.partition.CommitRequest;
import io.github.stablecut.internal.partition.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The bytes of {@link Request}s: a kind, then its parts in order. */
public final class RequestCodec {
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

  private final TransactionMessageCodec protocol;

  /**
   * @param protocol for messages about transactions of several partitions
   */
  public RequestCodec(TransactionMessageCodec protocol) {
    this.protocol = protocol;
  }

  /** For requests to a node, which are not about transactions. */
  public static RequestCodec ofNode() {
    return new RequestCodec(
        new TransactionMessageCodec(
            driver -> Message.Driver.GONE,
            request -> {
              throw new BadMessageException("a part of a transaction for a node");
            }));
  }

  public static Bytes encode(Request request) {
    WireOutput out = new WireOutput(request.largeBytes());
    if (request instanceof Request.Read read) {
      out.kind(READ).bytes(read.id()).vector(read.at());
    } else if (request instanceof Request.Check check) {
      out.kind(CHECK).vector(check.at());
    } else if (request instanceof Request.Hold hold) {
      out.kind(HOLD).number(hold.claim()).vector(hold.at());
    } else if (request instanceof Request.Release release) {
      out.kind(RELEASE).number(release.claim());
    } else if (request instanceof Request.Commit commit) {
      out.kind(COMMIT).bytes(commit.request().toWire());
    } else if (request instanceof Request.Latest latest) {
      out.kind(LATEST).vector(latest.claimed()).size(latest.ids().size());
      latest.ids().forEach(out::bytes);
    } else if (request instanceof Request.CommitIf commit) {
      out.kind(COMMIT_IF).bytes(commit.request().toWire());
      writeTimes(commit.seen(), out);
    } else if (request instanceof Request.AwaitDurable await) {
      out.kind(AWAIT_DURABLE).number(await.epoch()).number(await.time());
    } else if (request instanceof Request.Scan scan) {
      out.kind(SCAN).vector(scan.at()).bytes(scan.from());
      writeOptional(scan.until(), out);
    } else if (request instanceof Request.Checkpoint) {
      out.kind(CHECKPOINT);
    } else if (request instanceof Request.Present) {
      out.kind(PRESENT);
    } else if (request instanceof Request.PresentOf present) {
      out.kind(PRESENT_OF).bytes(present.id());
    } else if (request instanceof Request.Deliver deliver) {
      TransactionMessageCodec.write(deliver.message(), out.kind(DELIVER));
    } else if (request instanceof Request.Fetch fetch) {
      out.kind(FETCH).text(fetch.from());
    } else if (request instanceof Request.OfMove move) {
      writeMove(move, out);
    }
    return out.toBytes();
  }

  private static void writeMove(Request.OfMove request, WireOutput out) {
    if (request instanceof Request.Copy copy) {
      out.kind(COPY).number(copy.move()).text(copy.to());
    } else if (request instanceof Request.ReadFile read) {
      out.kind(READ_FILE).number(read.move()).text(read.name());
      out.number(read.from()).size(read.length());
    } else if (request instanceof Request.Quiet quiet) {
      out.kind(QUIET).number(quiet.move());
    } else if (request instanceof Request.HandOver handOver) {
      out.kind(HAND_OVER).number(handOver.move());
    } else if (request instanceof Request.Give give) {
      out.kind(GIVE).number(give.move()).text(give.to()).number(give.minEpoch());
    } else if (request instanceof Request.Keep keep) {
      out.kind(KEEP).number(keep.move());
    }
  }

  /** Whether some bytes are a request that may wait for the disk, if they are one. */
  public static boolean isForWriters(Bytes bytes) {
    if (bytes.length() == 0) {
      return false;
    }
    return switch (bytes.at(0)) {
      case COMMIT, COMMIT_IF, AWAIT_DURABLE, DELIVER -> true;
      default -> false;
    };
  }

  /** Whether some bytes are about a transaction of several partitions, if they are a request. */
  public static boolean isDelivery(Bytes bytes) {
    return bytes.length() > 0 && bytes.at(0) == DELIVER;
  }

  /**
   * The request that some bytes stand for.
   *
   * @param clock of the sender
   * @throws BadMessageException if there is none
   */
  public Request decode(Bytes bytes, long clock) {
    WireInput in = new WireInput(bytes, clock);
    int kind = in.kind();
    return in.end(
        switch (kind) {
          case READ -> new Request.Read(in.bytes(), in.vector());
          case CHECK -> new Request.Check(in.vector());
          case HOLD -> new Request.Hold(in.number(), in.vector());
          case RELEASE -> new Request.Release(in.number());
          case COMMIT -> new Request.Commit(protocol.part(in).toRequest());
          case LATEST -> readLatest(in);
          case COMMIT_IF -> readCommitIf(in);
          case AWAIT_DURABLE -> new Request.AwaitDurable(in.count(), in.time());
          case SCAN -> readScan(in);
          case CHECKPOINT -> new Request.Checkpoint();
          case PRESENT -> new Request.Present();
          case PRESENT_OF -> new Request.PresentOf(in.bytes());
          case COPY -> new Request.Copy(in.number(), in.text());
          case READ_FILE ->
              new Request.ReadFile(in.number(), in.text(), in.count(), readLength(in));
          case QUIET -> new Request.Quiet(in.number());
          case HAND_OVER -> new Request.HandOver(in.number());
          case GIVE -> new Request.Give(in.number(), in.text(), in.count());
          case KEEP -> new Request.Keep(in.number());
          case FETCH -> new Request.Fetch(in.text());
          case DELIVER -> new Request.Deliver(protocol.read(in));
          default -> throw new BadMessageException("request " + kind);
        });
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
    return new Request.CommitIf(readTimes(in), request);
  }

  private static Request readScan(WireInput in) {
    VectorClock at = in.vector();
    Bytes from = in.bytes();
    return new Request.Scan(from, readOptional(in), at);
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
