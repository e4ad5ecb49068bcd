package io.github.stablecut.internal.record;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Footprint;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The bytes of {@link TransactionFacts}; {@link TransactionRecord} shows them. */
final class FactsFormat {
  private static final int HAS_REQUEST = 1;
  private static final int HAS_ID = 2;
  private static final int HAS_PARTICIPANTS = 4;
  private static final int HAS_CERTIFIED = 8;
  private static final int HAS_RANGES = 16;
  private static final int HAS_PREVIOUS = 32;
  private static final int ALL_FACTS = 63;

  private FactsFormat() {}

  static TransactionFacts read(ByteBuffer in, long position) {
    int present = in.get();
    if (present == 0) {
      return TransactionFacts.NONE;
    }
    if ((present & ~ALL_FACTS) != 0) {
      throw TransactionRecord.malformed(position, "facts " + present);
    }
    Optional<RequestId> request =
        (present & HAS_REQUEST) == 0
            ? Optional.empty()
            : Optional.of(
                new RequestId(SessionName.read(in), Fields.readNumber(in), Digest.read(in)));
    Optional<TransactionId> id =
        (present & HAS_ID) == 0
            ? Optional.empty()
            : Optional.of(
                new TransactionId(
                    Fields.readInt(in), Fields.readNumber(in), Fields.readNumber(in)));
    List<Integer> participants = new ArrayList<>(0);
    for (int i = (present & HAS_PARTICIPANTS) == 0 ? 0 : Fields.readSize(in); i > 0; i--) {
      participants.add(Fields.readInt(in));
    }
    List<Bytes> certified = new ArrayList<>(0);
    for (int i = (present & HAS_CERTIFIED) == 0 ? 0 : Fields.readSize(in); i > 0; i--) {
      certified.add(Bytes.wrap(Fields.readBytes(in)));
    }
    List<Footprint.Elements> ranges = new ArrayList<>(0);
    for (int i = (present & HAS_RANGES) == 0 ? 0 : Fields.readSize(in); i > 0; i--) {
      Bytes from = Bytes.wrap(Fields.readBytes(in));
      Bytes until = Bytes.wrap(Fields.readBytes(in));
      ranges.add(
          new Footprint.Elements(
              from, until.equals(Bytes.EMPTY) ? Optional.empty() : Optional.of(until)));
    }
    OptionalLong previous =
        (present & HAS_PREVIOUS) == 0
            ? OptionalLong.empty()
            : OptionalLong.of(Fields.readNumber(in));
    return new TransactionFacts(request, id, participants, certified, ranges, previous);
  }

  /** Puts the facts into an array from an index on; returns the index behind them. */
  static int put(byte[] out, int begin, TransactionFacts facts) {
    int present = present(facts);
    out[begin] = (byte) present;
    if (present == 0) {
      return begin + 1;
    }
    ByteBuffer rest = ByteBuffer.wrap(out).position(begin + 1);
    putPresent(rest, facts);
    return rest.position();
  }

  private static void putPresent(ByteBuffer out, TransactionFacts facts) {
    facts
        .request()
        .ifPresent(
            request -> {
              request.session().put(out);
              Fields.putNumber(out, request.number());
              request.updates().put(out);
            });
    facts
        .id()
        .ifPresent(
            id -> {
              Fields.putNumber(out, id.coordinator());
              Fields.putNumber(out, id.epoch());
              Fields.putNumber(out, id.sequence());
            });
    if (!facts.participants().isEmpty()) {
      Fields.putNumber(out, facts.participants().size());
      facts.participants().forEach(participant -> Fields.putNumber(out, participant));
    }
    if (!facts.certified().isEmpty()) {
      Fields.putNumber(out, facts.certified().size());
      facts.certified().forEach(object -> Fields.putBytes(out, object));
    }
    if (!facts.ranges().isEmpty()) {
      Fields.putNumber(out, facts.ranges().size());
      for (Footprint.Elements range : facts.ranges()) {
        Fields.putBytes(out, range.from());
        Fields.putBytes(out, range.until().orElse(Bytes.EMPTY));
      }
    }
    facts.previous().ifPresent(previous -> Fields.putNumber(out, previous));
  }

  private static int present(TransactionFacts facts) {
    return (facts.request().isPresent() ? HAS_REQUEST : 0)
        + (facts.id().isPresent() ? HAS_ID : 0)
        + (facts.participants().isEmpty() ? 0 : HAS_PARTICIPANTS)
        + (facts.certified().isEmpty() ? 0 : HAS_CERTIFIED)
        + (facts.ranges().isEmpty() ? 0 : HAS_RANGES)
        + (facts.previous().isPresent() ? HAS_PREVIOUS : 0);
  }

  static int bytes(TransactionFacts facts) {
    int bytes = 1;
    if (facts.request().isPresent()) {
      bytes +=
          SessionName.BYTES + Digest.BYTES + Fields.numberBytes(facts.request().get().number());
    }
    if (facts.id().isPresent()) {
      TransactionId id = facts.id().get();
      bytes +=
          Fields.numberBytes(id.coordinator())
              + Fields.numberBytes(id.epoch())
              + Fields.numberBytes(id.sequence());
    }
    if (!facts.participants().isEmpty()) {
      bytes += Fields.numberBytes(facts.participants().size());
      for (int participant : facts.participants()) {
        bytes += Fields.numberBytes(participant);
      }
    }
    if (!facts.certified().isEmpty()) {
      bytes += Fields.numberBytes(facts.certified().size());
      for (Bytes object : facts.certified()) {
        bytes += bytes(object);
      }
    }
    if (!facts.ranges().isEmpty()) {
      bytes += Fields.numberBytes(facts.ranges().size());
      for (Footprint.Elements range : facts.ranges()) {
        bytes += bytes(range.from()) + bytes(range.until().orElse(Bytes.EMPTY));
      }
    }
    if (facts.previous().isPresent()) {
      bytes += Fields.numberBytes(facts.previous().getAsLong());
    }
    return bytes;
  }

  private static int bytes(Bytes string) {
    return Fields.numberBytes(string.length()) + string.length();
  }
}
