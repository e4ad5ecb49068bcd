package io.github.stablecut.cluster.internal.call;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.replication.DataCentre;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Encodes and decodes {@link Answer.DataCentreList}. */
final class DataCentreCodec {
  private static final int MIN_BYTES = 10;

  private static final List<DataCentre.State> STATES =
      List.of(DataCentre.State.JOINING, DataCentre.State.MEMBER, DataCentre.State.DETACHED);

  private DataCentreCodec() {}

  static void write(Answer.DataCentreList answer, Encoder out) {
    out.writeUnsigned(answer.own());
    out.writeSigned(answer.group());
    out.writeUnsigned(answer.port().orElse(0));
    out.writeFlag(answer.isNew());
    out.writeFlag(answer.isCluster());
    out.writeUnsigned(answer.all().size());
    answer.all().forEach(centre -> write(centre, out));
  }

  private static void write(DataCentre centre, Encoder out) {
    out.writeUnsigned(centre.number());
    out.writeSigned(centre.storeId());
    out.writeByte(STATES.indexOf(centre.state()));
    out.writeOptionalBytes(centre.address().map(Bytes::utf8));
    out.writeFlag(centre.isReachable());
    write(centre.received(), out);
    write(centre.acknowledged(), out);
    out.writeSigned(centre.behind().toMillis());
    out.writeSigned(centre.untilDetached().map(Duration::toMillis).orElse(-1L));
    out.writeOptionalBytes(centre.problem().map(Bytes::utf8));
  }

  private static void write(Instant instant, Encoder out) {
    out.writeSigned(instant.getEpochSecond());
    out.writeUnsigned(instant.getNano());
  }

  static Answer.DataCentreList read(Decoder in) {
    int own = in.readIndex();
    long group = in.readSigned();
    int port = in.readIndex();
    return new Answer.DataCentreList(
        own,
        group,
        port == 0 ? OptionalInt.empty() : OptionalInt.of(port),
        in.readFlag(),
        in.readFlag(),
        in.readList(MIN_BYTES, DataCentreCodec::readOne));
  }

  private static DataCentre readOne(Decoder in) {
    int number = in.readIndex();
    long storeId = in.readSigned();
    int state = in.readByte();
    if (state >= STATES.size()) {
      throw new FormatException("no state of a data centre has number " + state);
    }
    Optional<String> address = in.readOptionalBytes().map(Bytes::toUtf8);
    // The calls read the components in the order of the format.
    return DataCentre.builder(number, storeId, STATES.get(state))
        .address(address)
        .isReachable(in.readFlag())
        .received(readInstant(in))
        .acknowledged(readInstant(in))
        .lag(Duration.ofMillis(in.readSigned()), readOptionalDuration(in))
        .problem(in.readOptionalBytes().map(Bytes::toUtf8))
        .build();
  }

  private static Optional<Duration> readOptionalDuration(Decoder in) {
    long millis = in.readSigned();
    return millis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
  }

  private static Instant readInstant(Decoder in) {
    try {
      return Instant.ofEpochSecond(in.readSigned(), in.readIndex());
    } catch (DateTimeException | ArithmeticException e) {
      throw new FormatException("not a time: " + e.getMessage(), e);
    }
  }
}
