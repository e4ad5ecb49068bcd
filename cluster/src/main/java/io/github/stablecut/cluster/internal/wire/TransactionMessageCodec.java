package io.github.stablecut.cluster.internal.wire;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.partition.Message;
import io.github.stablecut.internal.partition.TransactionPart;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.TransactionId;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongFunction;

/** The bytes of messages about transactions of several partitions: a kind, then the parts. */
public final class TransactionMessageCodec {
  private static final int OPEN = 1;
  private static final int PREPARE = 2;
  private static final int DECIDE = 3;
  private static final int ABANDON = 4;
  private static final int COMMIT = 5;
  private static final int ACKNOWLEDGE = 6;
  private static final int ABORT = 7;
  private static final int QUERY = 8;

  private static final int OPENED = 1;
  private static final int REPEATED = 2;
  private static final int PREPARED = 3;
  private static final int REFUSED = 4;
  private static final int DECIDED = 5;

  private final LongFunction<Message.Driver> drivers;
  private final Function<Bytes, TransactionPart> parts;

  /**
   * @param drivers the driver with a number, on the node that the message comes from
   * @param parts reads a part of a transaction
   */
  public TransactionMessageCodec(
      LongFunction<Message.Driver> drivers, Function<Bytes, TransactionPart> parts) {
    this.drivers = drivers;
    this.parts = parts;
  }

  static void write(Message.ToPartition message, WireOutput out) {
    if (message instanceof Message.Open open) {
      out.kind(OPEN).number(open.driver().number()).number(open.attempt());
      out.kind(open.request().isPresent() ? 1 : 0);
      open.request()
          .ifPresent(
              request ->
                  out.number(request.session().getMostSignificantBits())
                      .number(request.session().getLeastSignificantBits())
                      .number(request.number()));
    } else if (message instanceof Message.Prepare prepare) {
      out.kind(PREPARE).number(prepare.driver().number()).bytes(prepare.part().toWire());
    } else if (message instanceof Message.Decide decide) {
      out.kind(DECIDE).number(decide.driver().number()).number(decide.prepared());
      out.bytes(decide.part().toWire());
    } else if (message instanceof Message.Abandon abandon) {
      id(abandon.id(), out.kind(ABANDON));
    } else if (message instanceof Message.Commit commit) {
      id(commit.id(), out.kind(COMMIT)).number(commit.time());
    } else if (message instanceof Message.Acknowledge acknowledge) {
      id(acknowledge.id(), out.kind(ACKNOWLEDGE)).size(acknowledge.partition());
    } else if (message instanceof Message.Abort abort) {
      id(abort.id(), out.kind(ABORT));
    } else if (message instanceof Message.Query query) {
      id(query.id(), out.kind(QUERY)).size(query.partition());
    }
  }

  Message.ToPartition read(WireInput in) {
    int kind = in.kind();
    return switch (kind) {
      case OPEN -> new Message.Open(drivers.apply(in.number()), in.number(), readRequest(in));
      case PREPARE -> new Message.Prepare(drivers.apply(in.number()), part(in));
      case DECIDE -> new Message.Decide(drivers.apply(in.number()), in.time(), part(in));
      case ABANDON -> new Message.Abandon(readId(in));
      case COMMIT -> new Message.Commit(readId(in), in.time());
      case ACKNOWLEDGE -> new Message.Acknowledge(readId(in), in.small());
      case ABORT -> new Message.Abort(readId(in));
      case QUERY -> new Message.Query(readId(in), in.small());
      default -> throw new BadMessageException("message " + kind + " of a transaction");
    };
  }

  /** A transaction, or a part of one. */
  TransactionPart part(WireInput in) {
    TransactionPart part = parts.apply(in.bytes());
    in.checkTime(part.snapshot().max());
    return part;
  }

  private static Optional<RequestId> readRequest(WireInput in) {
    return in.kind() == 0
        ? Optional.empty()
        : Optional.of(new RequestId(new UUID(in.number(), in.number()), in.count()));
  }

  @CanIgnoreReturnValue
  private static WireOutput id(TransactionId id, WireOutput out) {
    return out.size(id.coordinator()).number(id.epoch()).number(id.sequence());
  }

  private static TransactionId readId(WireInput in) {
    return new TransactionId(in.small(), in.count(), in.count());
  }

  public static Bytes encode(Message.ToDriver answer) {
    WireOutput out = new WireOutput();
    if (answer instanceof Message.Opened opened) {
      id(opened.id(), out.kind(OPENED));
    } else if (answer instanceof Message.Repeated repeated) {
      out.kind(REPEATED).number(repeated.time());
    } else if (answer instanceof Message.Prepared prepared) {
      id(prepared.id(), out.kind(PREPARED)).size(prepared.partition()).number(prepared.time());
    } else if (answer instanceof Message.Refused refused) {
      FailureCodec.write(refused.reason(), out.kind(REFUSED).size(refused.partition()));
    } else if (answer instanceof Message.Decided decided) {
      id(decided.id(), out.kind(DECIDED)).number(decided.time());
    }
    return out.toBytes();
  }

  /**
   * The answer to a driver that some bytes stand for.
   *
   * @param clock of the sender
   */
  public static Message.ToDriver decode(Bytes bytes, long clock) {
    WireInput in = new WireInput(bytes, clock);
    int kind = in.kind();
    return in.end(
        switch (kind) {
          case OPENED -> new Message.Opened(readId(in));
          case REPEATED -> new Message.Repeated(in.time());
          case PREPARED -> new Message.Prepared(readId(in), in.small(), in.time());
          case REFUSED -> new Message.Refused(in.small(), FailureCodec.read(in));
          case DECIDED -> new Message.Decided(readId(in), in.time());
          default -> throw new BadMessageException("answer " + kind + " to a driver");
        });
  }
}
