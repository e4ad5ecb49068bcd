package io.github.stablecut.internal.record;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Footprint;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Encodes {@link TransactionMetadata}; {@link TransactionRecord} documents the format. */
final class TransactionMetadataFormat {
  private static final int HAS_REQUEST = 1;
  private static final int HAS_ID = 2;
  private static final int HAS_PARTICIPANTS = 4;
  private static final int HAS_CERTIFIED = 8;
  private static final int HAS_RANGES = 16;
  private static final int HAS_PREVIOUS = 32;
  private static final int ALL_FACTS = 63;

  private TransactionMetadataFormat() {}

  @CanIgnoreReturnValue
  static TransactionMetadata read(ByteBuffer in, long position) {
    int present = in.get();
    if (present == 0) {
      return TransactionMetadata.none();
    }
    if ((present & ~ALL_FACTS) != 0) {
      throw TransactionRecord.malformed(position, "unknown metadata flags " + present);
    }
    Optional<RequestId> request =
        (present & HAS_REQUEST) == 0
            ? Optional.empty()
            : Optional.of(
                new RequestId(SessionName.read(in), RecordFields.readNumber(in), Digest.read(in)));
    Optional<TransactionId> id =
        (present & HAS_ID) == 0
            ? Optional.empty()
            : Optional.of(
                new TransactionId(
                    RecordFields.readInt(in),
                    RecordFields.readNumber(in),
                    RecordFields.readNumber(in)));
    List<Integer> participants = new ArrayList<>(0);
    for (int i = (present & HAS_PARTICIPANTS) == 0 ? 0 : RecordFields.readSize(in); i > 0; i--) {
      participants.add(RecordFields.readInt(in));
    }
    List<Bytes> certified = new ArrayList<>(0);
    for (int i = (present & HAS_CERTIFIED) == 0 ? 0 : RecordFields.readSize(in); i > 0; i--) {
      certified.add(Bytes.wrap(RecordFields.readBytes(in)));
    }
    List<Footprint.Elements> ranges = new ArrayList<>(0);
    for (int i = (present & HAS_RANGES) == 0 ? 0 : RecordFields.readSize(in); i > 0; i--) {
      Bytes from = Bytes.wrap(RecordFields.readBytes(in));
      Bytes until = Bytes.wrap(RecordFields.readBytes(in));
      ranges.add(
          new Footprint.Elements(
              from, until.equals(Bytes.EMPTY) ? Optional.empty() : Optional.of(until)));
    }
    OptionalLong previous =
        (present & HAS_PREVIOUS) == 0
            ? OptionalLong.empty()
            : OptionalLong.of(RecordFields.readNumber(in));
    if ((present & ~HAS_REQUEST) == 0) {
      return TransactionMetadata.of(request);
    }
    if ((present & ~HAS_REQUEST) == (HAS_ID | HAS_PARTICIPANTS) && !participants.isEmpty()) {
      return TransactionMetadata.decision(id.orElseThrow(), participants, request);
    }
    if ((present & ~(HAS_CERTIFIED | HAS_RANGES)) == HAS_ID) {
      return TransactionMetadata.participant(id.orElseThrow(), certified, ranges);
    }
    if (present == HAS_PREVIOUS) {
      return TransactionMetadata.received(previous.orElseThrow());
    }
    throw TransactionRecord.malformed(position, "metadata of no kind of record, flags " + present);
  }

  /** Puts the metadata into an array at an index; returns the index after it. */
  static int put(byte[] out, int begin, TransactionMetadata facts) {
    int present = present(facts);
    out[begin] = (byte) present;
    if (present == 0) {
      return begin + 1;
    }
    ByteBuffer rest = ByteBuffer.wrap(out).position(begin + 1);
    putPresent(rest, facts);
    return rest.position();
  }

  private static void putPresent(ByteBuffer out, TransactionMetadata facts) {
    facts
        .request()
        .ifPresent(
            request -> {
              request.session().put(out);
              RecordFields.putNumber(out, request.number());
              request.updates().put(out);
            });
    facts
        .id()
        .ifPresent(
            id -> {
              RecordFields.putNumber(out, id.coordinator());
              RecordFields.putNumber(out, id.epoch());
              RecordFields.putNumber(out, id.sequence());
            });
    if (!facts.participants().isEmpty()) {
      RecordFields.putNumber(out, facts.participants().size());
      facts.participants().forEach(participant -> RecordFields.putNumber(out, participant));
    }
    if (!facts.certified().isEmpty()) {
      RecordFields.putNumber(out, facts.certified().size());
      facts.certified().forEach(object -> RecordFields.putBytes(out, object));
    }
    if (!facts.ranges().isEmpty()) {
      RecordFields.putNumber(out, facts.ranges().size());
      for (Footprint.Elements range : facts.ranges()) {
        RecordFields.putBytes(out, range.from());
        RecordFields.putBytes(out, range.until().orElse(Bytes.EMPTY));
      }
    }
    facts.previous().ifPresent(previous -> RecordFields.putNumber(out, previous));
  }

  private static int present(TransactionMetadata facts) {
    return (facts.request().isPresent() ? HAS_REQUEST : 0)
        + (facts.id().isPresent() ? HAS_ID : 0)
        + (facts.participants().isEmpty() ? 0 : HAS_PARTICIPANTS)
        + (facts.certified().isEmpty() ? 0 : HAS_CERTIFIED)
        + (facts.ranges().isEmpty() ? 0 : HAS_RANGES)
        + (facts.previous().isPresent() ? HAS_PREVIOUS : 0);
  }

  static int bytes(TransactionMetadata facts) {
    int bytes = 1;
    if (facts.request().isPresent()) {
      bytes +=
          SessionName.BYTES
              + Digest.BYTES
              + RecordFields.numberBytes(facts.request().get().number());
    }
    if (facts.id().isPresent()) {
      TransactionId id = facts.id().get();
      bytes +=
          RecordFields.numberBytes(id.coordinator())
              + RecordFields.numberBytes(id.epoch())
              + RecordFields.numberBytes(id.sequence());
    }
    if (!facts.participants().isEmpty()) {
      bytes += RecordFields.numberBytes(facts.participants().size());
      for (int participant : facts.participants()) {
        bytes += RecordFields.numberBytes(participant);
      }
    }
    if (!facts.certified().isEmpty()) {
      bytes += RecordFields.numberBytes(facts.certified().size());
      for (Bytes object : facts.certified()) {
        bytes += bytes(object);
      }
    }
    if (!facts.ranges().isEmpty()) {
      bytes += RecordFields.numberBytes(facts.ranges().size());
      for (Footprint.Elements range : facts.ranges()) {
        bytes += bytes(range.from()) + bytes(range.until().orElse(Bytes.EMPTY));
      }
    }
    if (facts.previous().isPresent()) {
      bytes += RecordFields.numberBytes(facts.previous().getAsLong());
    }
    return bytes;
  }

  private static int bytes(Bytes string) {
    return RecordFields.numberBytes(string.length()) + string.length();
  }
}
