package io.github.stablecut.cluster.internal.wire;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.TransactionPart;
import io.github.stablecut.internal.record.Digest;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.SessionName;
import io.github.stablecut.internal.record.TransactionId;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongFunction;

/**
 * Encodes and decodes the messages of distributed transactions: a byte for the kind, then the
 * fields in order.
 */
public final class TransactionMessageCodec {
  private static final int OPEN = 1;
  private static final int PREPARE = 2;
  private static final int DECIDE = 3;
  private static final int ABANDON = 4;
  private static final int COMMIT = 5;
  private static final int ACKNOWLEDGE = 6;
  private static final int ABORT = 7;
  private static final int QUERY = 8;
  private static final int KEEP = 9;

  private static final int OPENED = 1;
  private static final int REPEATED = 2;
  private static final int PREPARED = 3;
  private static final int REFUSED = 4;
  private static final int DECIDED = 5;

  private final LongFunction<Message.Driver> drivers;
  private final Function<Bytes, TransactionPart> parts;

  /**
   * @param drivers looks up the driver with a number on the sending node
   * @param parts decodes a part of a transaction
   */
  public TransactionMessageCodec(
      LongFunction<Message.Driver> drivers, Function<Bytes, TransactionPart> parts) {
    this.drivers = drivers;
    this.parts = parts;
  }

  static void write(Message.ToPartition message, WireOutput out) {
    message.handTo(new Writer(out));
  }

  private record Writer(WireOutput out) implements Message.Receiver {
    @Override
    public void open(Message.Open message) {
      out.kind(OPEN).number(message.driver().number()).number(message.attempt());
      out.kind(message.request().isPresent() ? 1 : 0);
      message.request().ifPresent(request -> write(request, out));
    }

    @Override
    public void prepare(Message.Prepare message) {
      out.kind(PREPARE).number(message.driver().number()).bytes(message.part().toWire());
    }

    @Override
    public void decide(Message.Decide message) {
      out.kind(DECIDE).number(message.driver().number()).number(message.prepared());
      out.bytes(message.part().toWire());
    }

    @Override
    public void keepAlive(Message.KeepAlive message) {
      id(message.id(), out.kind(KEEP).number(message.driver().number()));
    }

    @Override
    public void abandon(Message.Abandon message) {
      id(message.id(), out.kind(ABANDON));
    }

    @Override
    public void commit(Message.Commit message) {
      id(message.id(), out.kind(COMMIT)).number(message.time());
    }

    @Override
    public void acknowledge(Message.Acknowledge message) {
      id(message.id(), out.kind(ACKNOWLEDGE)).size(message.partition());
    }

    @Override
    public void abort(Message.Abort message) {
      id(message.id(), out.kind(ABORT));
    }

    @Override
    public void query(Message.Query message) {
      id(message.id(), out.kind(QUERY)).size(message.partition());
    }
  }

  private static void write(RequestId request, WireOutput out) {
    SessionName session = request.session();
    out.number(session.openedMillis()).number(session.high()).number(session.low());
    out.number(session.client()).number(request.number());
    out.number(request.updates().high()).number(request.updates().low());
  }

  Message.ToPartition read(WireInput in) {
    int kind = in.kind();
    return switch (kind) {
      case OPEN -> new Message.Open(drivers.apply(in.number()), in.number(), readRequest(in));
      case PREPARE -> new Message.Prepare(drivers.apply(in.number()), part(in));
      case DECIDE -> new Message.Decide(drivers.apply(in.number()), in.time(), part(in));
      case KEEP -> new Message.KeepAlive(drivers.apply(in.number()), readId(in));
      case ABANDON -> new Message.Abandon(readId(in));
      case COMMIT -> new Message.Commit(readId(in), in.time());
      case ACKNOWLEDGE -> new Message.Acknowledge(readId(in), in.small());
      case ABORT -> new Message.Abort(readId(in));
      case QUERY -> new Message.Query(readId(in), in.small());
      default -> throw new BadMessageException("message " + kind + " of a transaction");
    };
  }

  /** Decodes a transaction, or a part of one. */
  TransactionPart part(WireInput in) {
    TransactionPart part = parts.apply(in.bytes());
    in.checkTime(LocalDataCentre.floorOf(part.snapshot()));
    return part;
  }

  private static Optional<TransactionId> readRefused(WireInput in) {
    return in.kind() == 0 ? Optional.empty() : Optional.of(readId(in));
  }

  private static Optional<RequestId> readRequest(WireInput in) {
    return in.kind() == 0
        ? Optional.empty()
        : Optional.of(
            new RequestId(
                new SessionName(in.number(), in.number(), in.number(), (int) in.number()),
                in.count(),
                new Digest(in.number(), in.number())));
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
    answer.handTo(new AnswerWriter(out));
    return out.toBytes();
  }

  private record AnswerWriter(WireOutput out) implements Message.AnswerReceiver {
    @Override
    public void opened(Message.Opened answer) {
      id(answer.id(), out.kind(OPENED));
    }

    @Override
    public void repeated(Message.Repeated answer) {
      out.kind(REPEATED).number(answer.time());
    }

    @Override
    public void prepared(Message.Prepared answer) {
      id(answer.id(), out.kind(PREPARED)).size(answer.partition()).number(answer.time());
    }

    @Override
    public void refused(Message.Refused answer) {
      out.kind(REFUSED).kind(answer.transaction().isPresent() ? 1 : 0);
      answer.transaction().ifPresent(transaction -> id(transaction, out));
      FailureCodec.write(answer.reason(), out.size(answer.partition()));
    }

    @Override
    public void decided(Message.Decided answer) {
      id(answer.id(), out.kind(DECIDED)).number(answer.time());
    }
  }

  /**
   * Decodes an answer to a driver.
   *
   * @param clock the sender's clock
   */
  public static Message.ToDriver decode(Bytes bytes, long clock) {
    WireInput in = new WireInput(bytes, clock);
    int kind = in.kind();
    return in.end(
        switch (kind) {
          case OPENED -> new Message.Opened(readId(in));
          case REPEATED -> new Message.Repeated(in.time());
          case PREPARED -> new Message.Prepared(readId(in), in.small(), in.time());
          case REFUSED -> new Message.Refused(readRefused(in), in.small(), FailureCodec.read(in));
          case DECIDED -> new Message.Decided(readId(in), in.time());
          default -> throw new BadMessageException("answer " + kind + " to a driver");
        });
  }
}
