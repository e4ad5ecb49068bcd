package io.github.stablecut.cluster.internal.call;

import io.github.stablecut.CausalToken;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.QuestionCodec;
import java.util.List;
import java.util.Optional;

/**
 * Encodes and decodes {@link Answer}s: one byte for the kind, then the components in the order of
 * their declaration, as {@link CallParts} and {@link Encoder} write them. Numbers never change.
 * Thread-safe.
 */
public final class AnswerCodec {
  private static final int FAILED = 0;
  private static final int WELCOME = 1;
  private static final int DONE = 2;
  private static final int VALUES = 3;
  private static final int AT = 4;
  private static final int TRIED = 5;
  private static final int BEGUN = 6;
  private static final int PAGE = 7;
  private static final int CHANGES = 8;
  private static final int DELETED = 9;
  private static final int STATUS = 10;
  private static final int OPENED = 11;
  private static final int PARTITION = 12;
  private static final int LAYOUT = 13;
  private static final int RENEWED = 14;
  private static final int CENTRES = 15;

  private static final int MIN_FOUND_BYTES = 3;
  private static final int MIN_TOLD_BYTES = 7;
  private static final int MIN_NAMED_BYTES = 3;

  private AnswerCodec() {}

  /**
   * Encodes an answer.
   *
   * @throws io.github.stablecut.error.LimitExceededException if the answer is too large
   */
  public static Bytes encode(Answer answer) {
    return QuestionCodec.encode(out -> answer.accept(new Writer(out)));
  }

  /**
   * Encodes an answer to consecutive pieces without copying large values.
   *
   * @throws io.github.stablecut.error.LimitExceededException if the answer is too large
   */
  public static List<Bytes> encodePieces(Answer answer) {
    return QuestionCodec.encodePieces(out -> answer.accept(new Writer(out)));
  }

  /**
   * Decodes an answer.
   *
   * @throws FormatException if the bytes are no answer
   */
  public static Answer decode(Bytes bytes) {
    return QuestionCodec.decode(bytes, AnswerCodec::read);
  }

  /**
   * Decodes the answer in a frame without copying it.
   *
   * @param frame the head and the content, without the length
   * @throws FormatException if the frame contains no answer
   */
  public static Answer decodeFrame(Bytes frame) {
    return QuestionCodec.decode(frame, CallFrame.HEAD_BYTES, AnswerCodec::read);
  }

  /** Encodes an object of a page. */
  public static void write(Answer.ScannedObject found, Encoder out) {
    CallParts.writeName(found.id(), found.type(), out);
    out.writeOptionalBytes(found.state());
  }

  private record Writer(Encoder out) implements Answer.Visitor {
    @Override
    public void failed(Answer.Failed answer) {
      out.writeByte(FAILED);
      out.writeUnsigned(answer.failure());
      out.writeBytes(Bytes.utf8(answer.message()));
      CallParts.writeOptional(answer.position(), CallParts::write, out);
      // Without a flag, so that other failures are encoded as before there were rights.
      answer.rights().ifPresent(rights -> CallParts.write(rights, out));
    }

    @Override
    public void welcome(Answer.Welcome answer) {
      out.writeByte(WELCOME);
      out.writeUnsigned(answer.version());
      out.writeBytes(Bytes.utf8(answer.server()));
    }

    @Override
    public void done(Answer.Done answer) {
      out.writeByte(DONE);
    }

    @Override
    public void values(Answer.Values answer) {
      out.writeByte(VALUES);
      CallParts.write(answer.at(), out);
      out.writeAll(answer.answers());
    }

    @Override
    public void point(Answer.Point answer) {
      out.writeByte(AT);
      CallParts.write(answer.point(), out);
    }

    @Override
    public void conditionalResult(Answer.ConditionalResult answer) {
      out.writeByte(TRIED);
      out.writeFlag(answer.isWritten());
      CallParts.write(answer.point(), out);
      CallParts.write(answer.found(), out);
      out.writeAll(answer.answers());
    }

    @Override
    public void openedHandle(Answer.OpenedHandle answer) {
      out.writeByte(BEGUN);
      out.writeBytes(answer.descriptor());
      CallParts.write(answer.at(), out);
    }

    @Override
    public void page(Answer.Page answer) {
      out.writeByte(PAGE);
      out.writeUnsigned(answer.objects().size());
      answer.objects().forEach(found -> AnswerCodec.write(found, out));
      out.writeFlag(answer.isLast());
    }

    @Override
    public void page(Answer.EncodedPage answer) {
      out.writeByte(PAGE);
      out.writeUnsigned(answer.size());
      answer.objects().forEach(out::writeEncoded);
      out.writeFlag(answer.isLast());
    }

    @Override
    public void changes(Answer.Changes answer) {
      out.writeByte(CHANGES);
      out.writeUnsigned(answer.changes().size());
      answer.changes().forEach(this::write);
      CallParts.write(answer.position(), out);
    }

    private void write(Answer.Change change) {
      CallParts.write(change.seen(), out);
      CallParts.write(change.token(), out);
      out.writeUnsigned(change.objects().size());
      for (Answer.ChangedObject named : change.objects()) {
        CallParts.writeName(named.id(), named.type(), out);
        out.writeAll(named.effects());
      }
    }

    @Override
    public void deleted(Answer.Deleted answer) {
      out.writeByte(DELETED);
      out.writeUnsigned(answer.deleted());
      out.writeUnsigned(answer.kept());
      CallParts.write(answer.point(), out);
    }

    @Override
    public void status(Answer.Status answer) {
      out.writeByte(STATUS);
      RecordCodec.write(answer.status(), out);
    }

    @Override
    public void partition(Answer.Partition answer) {
      out.writeByte(PARTITION);
      out.writeUnsigned(answer.number());
    }

    @Override
    public void partitionOwners(Answer.PartitionOwners answer) {
      out.writeByte(LAYOUT);
      out.writeSigned(answer.storeId());
      out.writeSigned(answer.routing());
      out.writeUnsigned(answer.servers().size());
      answer.servers().forEach(server -> out.writeBytes(Bytes.utf8(server)));
      out.writeUnsigned(answer.owners().size());
      answer.owners().forEach(owner -> out.writeUnsigned(owner + 1L));
    }

    @Override
    public void renewed(Answer.Renewed answer) {
      out.writeByte(RENEWED);
      out.writeAll(answer.unknown());
    }

    @Override
    public void dataCentreList(Answer.DataCentreList answer) {
      out.writeByte(CENTRES);
      DataCentreCodec.write(answer, out);
    }

    @Override
    public void openedSession(Answer.OpenedSession answer) {
      out.writeByte(OPENED);
      CallParts.write(answer.session(), out);
    }
  }

  private static Answer read(Decoder in) {
    int kind = in.readByte();
    return switch (kind) {
      case FAILED -> readFailed(in);
      case WELCOME -> new Answer.Welcome(in.readIndex(), in.readBytes().toUtf8());
      case DONE -> new Answer.Done();
      case VALUES -> new Answer.Values(CallParts.readToken(in), in.readAll());
      case AT -> new Answer.Point(CallParts.readToken(in));
      case TRIED ->
          new Answer.ConditionalResult(
              in.readFlag(), CallParts.readToken(in), CallParts.readToken(in), in.readAll());
      case BEGUN -> new Answer.OpenedHandle(in.readBytes(), CallParts.readToken(in));
      case PAGE -> readPage(in);
      case CHANGES ->
          new Answer.Changes(
              in.readList(MIN_TOLD_BYTES, AnswerCodec::readTold), CallParts.readToken(in));
      case DELETED ->
          new Answer.Deleted(in.readUnsigned(), in.readUnsigned(), CallParts.readToken(in));
      case STATUS -> new Answer.Status(RecordCodec.read(StoreStatus.class, in));
      case PARTITION -> new Answer.Partition(in.readIndex());
      case LAYOUT -> readLayout(in);
      case CENTRES -> DataCentreCodec.read(in);
      case RENEWED -> new Answer.Renewed(in.readAll());
      case OPENED -> new Answer.OpenedSession(CallParts.readSession(in));
      default -> throw new FormatException("no answer has number " + kind);
    };
  }

  private static Answer readLayout(Decoder in) {
    long storeId = in.readSigned();
    long routing = in.readSigned();
    List<String> servers = in.readList(1, from -> from.readBytes().toUtf8());
    List<Integer> owners = in.readList(1, from -> from.readIndex() - 1);
    if (owners.stream().anyMatch(owner -> owner >= servers.size())) {
      throw new FormatException("a partition of a server that is not named");
    }
    return new Answer.PartitionOwners(storeId, routing, servers, owners);
  }

  private static Answer.Failed readFailed(Decoder in) {
    int failure = in.readIndex();
    String message = in.readBytes().toUtf8();
    Optional<CausalToken> position = CallParts.readOptional(in, CallParts::readToken);
    Optional<Answer.MissingRights> rights =
        failure == CallFailures.MISSING_RIGHTS
            ? Optional.of(CallParts.readRights(in))
            : Optional.empty();
    return new Answer.Failed(failure, message, position, rights);
  }

  private static Answer readPage(Decoder in) {
    List<Answer.ScannedObject> objects =
        in.readList(
            MIN_FOUND_BYTES,
            from ->
                new Answer.ScannedObject(
                    from.readBytes(), CallParts.readType(from), from.readOptionalBytes()));
    return new Answer.Page(objects, in.readFlag());
  }

  private static Answer.Change readTold(Decoder in) {
    return new Answer.Change(
        CallParts.readToken(in),
        CallParts.readToken(in),
        in.readList(
            MIN_NAMED_BYTES,
            from ->
                new Answer.ChangedObject(
                    from.readBytes(), CallParts.readType(from), from.readAll())));
  }
}
