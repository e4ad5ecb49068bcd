package io.github.stablecut.cluster.internal.call;

import io.github.stablecut.CausalToken;
import io.github.stablecut.SessionId;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.QuestionCodec;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.internal.partition.ConditionalBatch;
import io.github.stablecut.internal.partition.ConditionalBatchCodec;
import io.github.stablecut.internal.thread.HeapShare;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.ReadPreference;
import io.github.stablecut.option.SnapshotOptions;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.option.WatchOptions;
import java.util.List;
import java.util.Optional;

/**
 * Encodes and decodes {@link Call}s: one byte for the kind, then the components in the order of
 * their declaration, as {@link CallParts} and {@link Encoder} write them. Numbers never change.
 * Thread-safe.
 */
public final class CallCodec {
  private static final int HELLO = 0;
  private static final int READ = 1;
  private static final int WRITE = 2;
  private static final int WRITE_IF = 3;
  private static final int WRITE_ONCE = 4;
  private static final int BEGIN = 5;
  private static final int READ_IN = 6;
  private static final int WRITE_IN = 7;
  private static final int NEST = 8;
  private static final int END = 9;
  private static final int POINT = 10;
  private static final int HOLD = 11;
  private static final int OPEN_SCAN = 12;
  private static final int OPEN_WATCH = 13;
  private static final int TAKE = 14;
  private static final int RENEW = 15;
  private static final int LET_GO = 16;
  private static final int DELETE = 17;
  private static final int PLAIN = 18;
  private static final int AFTER = 20;
  private static final int PLACE = 19;
  private static final int NEAR = 21;

  private static final List<Call.Freshness> FRESHNESS =
      List.of(Call.Freshness.NEWEST, Call.Freshness.LATEST);
  private static final List<Call.Ending> ENDINGS =
      List.of(Call.Ending.COMMIT, Call.Ending.ABORT, Call.Ending.CLOSE);
  private static final List<Call.Plain> PLAINS =
      List.of(
          Call.Plain.CHECKPOINT,
          Call.Plain.STATUS,
          Call.Plain.OPEN_SESSION,
          Call.Plain.LAYOUT,
          Call.Plain.DATA_CENTRES);
  private static final List<Certification> CERTIFICATIONS =
      List.of(
          Certification.NONE,
          Certification.WRITES,
          Certification.READS_WRITES,
          Certification.READ_THEN_UPDATED);

  private static final List<ReadPreference> PREFERENCES =
      List.of(ReadPreference.LEADER, ReadPreference.NEAREST);

  private CallCodec() {}

  /**
   * Encodes a call.
   *
   * @throws io.github.stablecut.error.LimitExceededException if the call is too large
   */
  public static Bytes encode(Call call) {
    return QuestionCodec.encode(
        out -> {
          Encoder written = call.accept(new Writer(out));
          assert written == out;
        });
  }

  /**
   * Decodes a call.
   *
   * @throws FormatException if the bytes are no call
   */
  public static Call decode(Bytes bytes) {
    return QuestionCodec.decode(bytes, CallCodec::read);
  }

  /**
   * Decodes the call in a frame without copying it.
   *
   * @param frame the head and the content, without the length
   * @throws FormatException if the frame contains no call
   * @throws LimitExceededException if the call has more parts than the heap has room for
   */
  public static Call decodeFrame(Bytes frame) {
    return QuestionCodec.decode(
        frame, CallFrame.HEAD_BYTES, HeapShare.MESSAGE_PARTS, CallCodec::read);
  }

  /** Encodes calls; its methods return the encoder. */
  private record Writer(Encoder out) implements Call.Visitor<Encoder> {
    @Override
    public Encoder hello(Call.Hello call) {
      out.writeByte(HELLO);
      out.writeUnsigned(call.version());
      return out;
    }

    @Override
    public Encoder read(Call.Read call) {
      out.writeByte(READ);
      out.writeByte(FRESHNESS.indexOf(call.freshness()));
      CallParts.writeOptional(call.at(), CallParts::write, out);
      CallParts.writeQueries(call.queries(), out);
      return out;
    }

    @Override
    public Encoder write(Call.Write call) {
      out.writeByte(WRITE);
      CallParts.writeUpdates(call.updates(), out);
      return out;
    }

    @Override
    public Encoder writeIf(Call.WriteIf call) {
      out.writeByte(WRITE_IF);
      CallCodec.write(call.condition(), call.updates(), out);
      return out;
    }

    @Override
    public Encoder writeOnce(Call.WriteOnce call) {
      out.writeByte(WRITE_ONCE);
      CallParts.write(call.session(), out);
      out.writeUnsigned(call.number());
      out.writeFlag(call.condition().isPresent());
      call.condition()
          .ifPresentOrElse(
              condition -> CallCodec.write(condition, call.updates(), out),
              () -> CallParts.writeUpdates(call.updates(), out));
      return out;
    }

    @Override
    public Encoder begin(Call.Begin call) {
      TransactionOptions options = call.options();
      out.writeByte(BEGIN);
      CallParts.writeOptional(options.after(), CallParts::write, out);
      out.writeByte(CERTIFICATIONS.indexOf(options.certification()));
      out.writeFlag(options.allowsOtherTypes());
      return out;
    }

    @Override
    public Encoder readIn(Call.ReadIn call) {
      out.writeByte(READ_IN);
      CallCodec.write(call.transaction(), out);
      CallParts.writeQueries(call.queries(), out);
      return out;
    }

    @Override
    public Encoder writeIn(Call.WriteIn call) {
      out.writeByte(WRITE_IN);
      CallCodec.write(call.transaction(), out);
      CallParts.writeUpdates(call.updates(), out);
      return out;
    }

    @Override
    public Encoder beginNested(Call.BeginNested call) {
      out.writeByte(NEST);
      CallCodec.write(call.transaction(), out);
      return out;
    }

    @Override
    public Encoder end(Call.End call) {
      out.writeByte(END);
      CallCodec.write(call.transaction(), out);
      out.writeByte(ENDINGS.indexOf(call.ending()));
      return out;
    }

    @Override
    public Encoder point(Call.Point call) {
      out.writeByte(POINT);
      CallParts.writeOptional(call.latest(), CallParts::writeKeys, out);
      return out;
    }

    @Override
    public Encoder nearSnapshot(Call.NearSnapshot call) {
      out.writeByte(NEAR);
      out.writeByte(PREFERENCES.indexOf(call.options().reads()));
      CallParts.writeOptional(call.options().after(), CallParts::write, out);
      return out;
    }

    @Override
    public Encoder openPoint(Call.OpenPoint call) {
      out.writeByte(HOLD);
      CallParts.write(call.point(), out);
      out.writeFlag(call.isPinned());
      return out;
    }

    @Override
    public Encoder openScan(Call.OpenScan call) {
      out.writeByte(OPEN_SCAN);
      CallParts.writeOptional(call.transaction(), CallCodec::write, out);
      CallParts.writeOptional(call.at(), CallParts::write, out);
      CallParts.writeOptional(call.range(), CallParts::write, out);
      return out;
    }

    @Override
    public Encoder openWatch(Call.OpenWatch call) {
      out.writeByte(OPEN_WATCH);
      out.writeBytes(call.bucket());
      out.writeBytes(call.keyPrefix());
      CallParts.writeOptional(call.options().after(), CallParts::write, out);
      out.writeUnsigned(call.options().buffer());
      out.writeFlag(call.options().hasEffects());
      return out;
    }

    @Override
    public Encoder take(Call.Take call) {
      out.writeByte(TAKE);
      out.writeBytes(call.descriptor());
      out.writeUnsigned(call.bytes());
      out.writeUnsigned(call.waitMillis());
      return out;
    }

    @Override
    public Encoder renew(Call.Renew call) {
      out.writeByte(RENEW);
      out.writeAll(call.descriptors());
      return out;
    }

    @Override
    public Encoder close(Call.Close call) {
      out.writeByte(LET_GO);
      out.writeBytes(call.descriptor());
      return out;
    }

    @Override
    public Encoder delete(Call.Delete call) {
      out.writeByte(DELETE);
      CallParts.write(call.range(), out);
      return out;
    }

    @Override
    public Encoder findPartition(Call.FindPartition call) {
      out.writeByte(PLACE);
      CallParts.write(call.object(), out);
      return out;
    }

    @Override
    public Encoder after(Call.AfterPoint call) {
      out.writeByte(AFTER);
      CallParts.write(call.point(), out);
      return call.call().accept(this);
    }

    @Override
    public Encoder plain(Call.Plain call) {
      out.writeByte(PLAIN);
      out.writeByte(PLAINS.indexOf(call));
      return out;
    }
  }

  /** Writes a condition, whose encoding includes the updates. */
  private static void write(Condition condition, List<Update> updates, Encoder out) {
    out.writeBytes(ConditionalBatchCodec.encode(new ConditionalBatch(condition, updates, 0, 0)));
  }

  private static void write(Call.TransactionRef transaction, Encoder out) {
    out.writeBytes(transaction.descriptor());
    out.writeUnsigned(transaction.depth());
  }

  private static Call.TransactionRef readInside(Decoder in) {
    return new Call.TransactionRef(in.readBytes(), in.readIndex());
  }

  private static Call readAfter(Decoder in) {
    CausalToken point = CallParts.readToken(in);
    Call call = read(in);
    if (call instanceof Call.AfterPoint) {
      throw new FormatException("a call after two points");
    }
    return new Call.AfterPoint(point, call);
  }

  private static Call read(Decoder in) {
    int kind = in.readByte();
    return switch (kind) {
      case HELLO -> new Call.Hello(in.readIndex());
      case READ ->
          new Call.Read(
              readOne(FRESHNESS, in),
              CallParts.readOptional(in, CallParts::readToken),
              CallParts.readQueries(in));
      case WRITE -> new Call.Write(CallParts.readUpdates(in));
      case WRITE_IF -> readWriteIf(in);
      case WRITE_ONCE -> readWriteOnce(in);
      case BEGIN -> readBegin(in);
      case READ_IN -> new Call.ReadIn(readInside(in), CallParts.readQueries(in));
      case WRITE_IN -> new Call.WriteIn(readInside(in), CallParts.readUpdates(in));
      case NEST -> new Call.BeginNested(readInside(in));
      case END -> new Call.End(readInside(in), readOne(ENDINGS, in));
      case POINT -> new Call.Point(CallParts.readOptional(in, CallParts::readKeys));
      case NEAR ->
          new Call.NearSnapshot(
              new SnapshotOptions(
                  readOne(PREFERENCES, in), CallParts.readOptional(in, CallParts::readToken)));
      case HOLD -> new Call.OpenPoint(CallParts.readToken(in), in.readFlag());
      case OPEN_SCAN -> readOpenScan(in);
      case OPEN_WATCH -> new Call.OpenWatch(in.readBytes(), in.readBytes(), readWatchOptions(in));
      case TAKE -> new Call.Take(in.readBytes(), in.readIndex(), in.readIndex());
      case RENEW -> new Call.Renew(in.readAll());
      case LET_GO -> new Call.Close(in.readBytes());
      case DELETE -> new Call.Delete(CallParts.readRange(in));
      case PLAIN -> readOne(PLAINS, in);
      case AFTER -> readAfter(in);
      case PLACE -> new Call.FindPartition(CallParts.readKey(in));
      default -> throw new FormatException("no call has number " + kind);
    };
  }

  private static WatchOptions readWatchOptions(Decoder in) {
    try {
      return new WatchOptions(
          CallParts.readOptional(in, CallParts::readToken), in.readIndex(), in.readFlag());
    } catch (IllegalArgumentException e) {
      throw new FormatException("watch: " + e.getMessage(), e);
    }
  }

  private static Call readWriteIf(Decoder in) {
    ConditionalBatch batch = ConditionalBatchCodec.decode(in);
    List<Update> updates = batch.updates();
    return new Call.WriteIf(batch.condition(), updates);
  }

  private static Call readWriteOnce(Decoder in) {
    SessionId session = CallParts.readSession(in);
    long number = in.readUnsigned();
    if (!in.readFlag()) {
      return new Call.WriteOnce(session, number, Optional.empty(), CallParts.readUpdates(in));
    }
    ConditionalBatch batch = ConditionalBatchCodec.decode(in);
    return new Call.WriteOnce(session, number, Optional.of(batch.condition()), batch.updates());
  }

  private static Call readBegin(Decoder in) {
    return new Call.Begin(
        new TransactionOptions(
            CallParts.readOptional(in, CallParts::readToken),
            readOne(CERTIFICATIONS, in),
            in.readFlag()));
  }

  private static Call readOpenScan(Decoder in) {
    Call.OpenScan call =
        new Call.OpenScan(
            CallParts.readOptional(in, CallCodec::readInside),
            CallParts.readOptional(in, CallParts::readToken),
            CallParts.readOptional(in, CallParts::readRange));
    if (call.transaction().isPresent() == call.at().isPresent()
        || (call.transaction().isPresent() && call.range().isEmpty())) {
      throw new FormatException("a scan is in a transaction with a range, or at a point");
    }
    return call;
  }

  private static <T> T readOne(List<T> all, Decoder in) {
    int index = in.readByte();
    if (index >= all.size()) {
      throw new FormatException("one of %d is number %d".formatted(all.size(), index));
    }
    return all.get(index);
  }
}
