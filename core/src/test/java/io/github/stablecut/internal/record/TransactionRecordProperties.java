package io.github.stablecut.internal.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.FormatException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;

/** Records of transactions round-trip, and other bytes are refused. */
final class TransactionRecordProperties {
  private static final long POSITION = 77;

  /** Behind the version, the time and the data centre. */
  private static final int SNAPSHOT_OFFSET = 10;

  @Provide
  Arbitrary<VectorClock> vectors() {
    return Arbitraries.longs()
        .between(0, Long.MAX_VALUE)
        .array(long[].class)
        .ofMaxSize(20)
        .map(VectorClock::ofEntries);
  }

  @Provide
  Arbitrary<List<TransactionRecord.Entry>> entries() {
    Arbitrary<byte[]> bytes = Arbitraries.bytes().array(byte[].class).ofMaxSize(200);
    return net.jqwik.api.Combinators.combine(bytes, bytes.list().ofMinSize(1).ofMaxSize(3))
        .as((id, effects) -> new TransactionRecord.Entry(Bytes.copyOf(id), effects))
        .list()
        .ofMaxSize(5);
  }

  @Property
  void roundTrips(
      @ForAll("vectors") VectorClock snapshot,
      @ForAll("vectors") VectorClock frontier,
      @ForAll("entries") List<TransactionRecord.Entry> entries,
      @ForAll @LongRange(min = 1) long time) {
    byte[] body =
        TransactionRecord.encode(1, snapshot, frontier, TransactionMetadata.none(), entries);
    TransactionRecord.setCommitTime(body, time);
    List<String> read = new ArrayList<>();

    Commit commit =
        TransactionRecord.read(
            body,
            POSITION,
            (of, ordinal, id, effect) -> {
              byte[] bytes = new byte[effect.remaining()];
              effect.get(bytes);
              read.add(id + " " + Arrays.toString(bytes));
              assertThat(TransactionRecord.readEffect(body, POSITION, ordinal)).isEqualTo(bytes);
            });

    List<String> written = new ArrayList<>();
    entries.forEach(
        entry ->
            entry
                .encoded()
                .forEach(effect -> written.add(entry.id() + " " + Arrays.toString(effect))));
    assertThat(read).isEqualTo(written);
    assertThat(commit.time()).isEqualTo(time);
    assertThat(commit.snapshot()).isEqualTo(snapshot);
    assertThat(commit.vector()).isEqualTo(snapshot.with(1, time));
    assertThat(commit.origin().pruneFrontier()).isEqualTo(frontier);
    assertThat(commit.position()).isEqualTo(POSITION);
  }

  @Property
  void aTableFindsTheEffectsOfEachOrdinalAndObject(
      @ForAll("entries") List<TransactionRecord.Entry> entries) {
    byte[] body =
        TransactionRecord.encode(
            1, VectorClock.of(3), VectorClock.ZERO, TransactionMetadata.none(), entries);
    TransactionRecord.setCommitTime(body, 4);
    List<String> read = new ArrayList<>();
    Commit commit =
        TransactionRecord.read(
            body, POSITION, (of, ordinal, id, effect) -> read.add(describe(ordinal, id, effect)));

    EffectTable table = new EffectTable(body, POSITION);

    assertThat(table.size()).isEqualTo(read.size());
    for (int i = 0; i < read.size(); i++) {
      assertThat(table.effect(i)).isEqualTo(TransactionRecord.readEffect(body, POSITION, i));
    }
    List<String> found = new ArrayList<>();
    for (Bytes object : entries.stream().map(TransactionRecord.Entry::id).distinct().toList()) {
      table.forEach(
          object,
          (of, ordinal, id, effect) -> {
            assertThat(of.vector()).isEqualTo(commit.vector());
            assertThat(id).isEqualTo(object);
            found.add(describe(ordinal, id, effect));
          });
    }
    assertThat(found).containsExactlyInAnyOrderElementsOf(read);
    table.forEach(
        Bytes.wrap(new byte[201]), (of, ordinal, id, effect) -> assertThat(ordinal).isNegative());
    assertThatThrownBy(() -> table.effect(read.size())).isInstanceOf(FormatException.class);
  }

  private static String describe(int ordinal, Bytes id, ByteBuffer effect) {
    byte[] bytes = new byte[effect.remaining()];
    effect.get(effect.position(), bytes);
    return "%d %s %s".formatted(ordinal, id, Arrays.toString(bytes));
  }

  @Property
  void refusesOtherBytesWithoutAnyOtherException(
      @ForAll("entries") List<TransactionRecord.Entry> entries,
      @ForAll int place,
      @ForAll byte value,
      @ForAll boolean cut) {
    byte[] body =
        TransactionRecord.encode(
            0, VectorClock.of(3), VectorClock.ZERO, TransactionMetadata.none(), entries);
    TransactionRecord.setCommitTime(body, 4);
    int at = Math.floorMod(place, body.length);
    byte[] bad = cut ? Arrays.copyOf(body, at) : body;
    if (!cut) {
      bad[at] = value;
    }

    readOrRefuse(bad);
  }

  @Property
  void readsOrRefusesAnyBytes(@ForAll byte[] bytes) {
    readOrRefuse(bytes);
  }

  private static void readOrRefuse(byte[] bytes) {
    try {
      Commit read = TransactionRecord.read(bytes, POSITION, (commit, ordinal, id, effect) -> {});
      assertThat(read.position()).isEqualTo(POSITION);
      assertThat(new EffectTable(bytes, POSITION).memory()).isGreaterThanOrEqualTo(bytes.length);
    } catch (FormatException e) {
      assertThat(e).hasMessageContaining("position " + POSITION);
    }
  }

  @Example
  void theBytesOfVersionThreeAreStable() {
    byte[] body =
        TransactionRecord.encode(
            0,
            VectorClock.of(300),
            VectorClock.ZERO,
            TransactionMetadata.none(),
            List.of(
                new TransactionRecord.Entry(
                    Bytes.utf8("id"), List.of(new byte[] {1, 2}, new byte[] {3}))));
    TransactionRecord.setCommitTime(body, 301);

    assertThat(HexFormat.of().formatHex(body))
        .isEqualTo(
            "03"
                + "000000000000012d"
                + "00"
                + "01ac02"
                + "00"
                + "00"
                + "01"
                + "026964"
                + "02"
                + "020102"
                + "0103");
  }

  @Example
  void theBytesOfASessionAreStable() {
    RequestId request = new RequestId(new SessionName(1, 2, 3, 4), 5, new Digest(6, 7));
    byte[] transaction =
        TransactionRecord.encode(
            0,
            VectorClock.ZERO,
            VectorClock.ZERO,
            TransactionMetadata.of(Optional.of(request)),
            List.of());
    byte[] sessions = SessionsRecord.encode(List.of(new SessionsRecord.Entry(request, 8)));

    String session = "000000000000000100000000000000020000000000000003" + "00000004";
    String digest = "00000000000000060000000000000007";
    assertThat(HexFormat.of().formatHex(transaction))
        .isEqualTo(
            "03" + "0".repeat(16) + "00" + "00" + "00" + "01" + session + "05" + digest + "00");
    assertThat(HexFormat.of().formatHex(sessions))
        .isEqualTo("02" + "00000001" + session + "0000000000000005" + digest + "0000000000000008");
    assertThat(SessionsRecord.read(sessions, POSITION))
        .containsExactly(new SessionsRecord.Entry(request, 8));
  }

  @Example
  void factsRoundTrip() {
    TransactionId id = new TransactionId(3, 7, 300);
    Optional<RequestId> request =
        Optional.of(new RequestId(new SessionName(5, -6, 7, -8), 1_000, new Digest(9, -10)));
    List<Bytes> certified = List.of(Bytes.utf8("read"), Bytes.utf8(""));
    List<Footprint.Elements> ranges =
        List.of(
            new Footprint.Elements(Bytes.utf8("a"), Optional.of(Bytes.utf8("b"))),
            new Footprint.Elements(Bytes.EMPTY, Optional.empty()));
    for (TransactionMetadata facts :
        List.of(
            TransactionMetadata.none(),
            TransactionMetadata.of(request),
            TransactionMetadata.decision(id, List.of(4, 1_000), request),
            TransactionMetadata.decision(id, List.of(4), Optional.empty()),
            TransactionMetadata.participant(id, certified, ranges),
            TransactionMetadata.participant(id, List.of()),
            TransactionMetadata.received(299))) {
      assertIsReadAsItWasWritten(facts);
    }
    assertThat(EndRecord.read(EndRecord.encode(id), POSITION)).isEqualTo(id);
  }

  private static void assertIsReadAsItWasWritten(TransactionMetadata facts) {
    List<TransactionMetadata> read = new ArrayList<>();
    byte[] body =
        TransactionRecord.encode(
            0,
            VectorClock.of(300),
            VectorClock.ZERO,
            facts,
            List.of(new TransactionRecord.Entry(Bytes.utf8("id"), List.of(new byte[] {1}))));
    TransactionRecord.setCommitTime(body, 301);

    TransactionRecord.read(body, POSITION, (commit, ordinal, object, effect) -> {}, read::add);

    assertThat(read).containsExactly(facts);
    assertThat(TransactionRecord.readEffect(body, POSITION, 0)).containsExactly(1);
    assertThat(TransactionRecord.commitTime(body)).isEqualTo(301);
  }

  /** The byte of flags is behind the version, the time, and two empty vectors. */
  @Example
  void metadataOfNoKindOfRecordIsRefused() {
    TransactionId id = new TransactionId(3, 7, 300);
    byte[] body =
        TransactionRecord.encode(
            0,
            VectorClock.ZERO,
            VectorClock.ZERO,
            TransactionMetadata.participant(id, List.of()),
            List.of());
    int flags = 1 + Long.BYTES + 3;
    assertThat(body[flags]).isEqualTo((byte) 2);
    for (int others : List.of(4, 2 + 32, 1 + 32, 2 + 4 + 8, 8, 16)) {
      body[flags] = (byte) others;
      assertThatThrownBy(() -> TransactionRecord.read(body, POSITION, (c, o, object, e) -> {}))
          .isInstanceOf(FormatException.class);
    }
  }

  @Example
  void readsTheLargestVectorAndRefusesALargerOne() {
    long[] times = new long[VectorClock.MAX_DATA_CENTRES];
    Arrays.setAll(times, i -> i + 1);
    VectorClock snapshot = VectorClock.ofEntries(times);
    byte[] body =
        TransactionRecord.encode(0, snapshot, snapshot, TransactionMetadata.none(), List.of());
    TransactionRecord.setCommitTime(body, times.length + 1);

    assertThat(TransactionRecord.read(body, POSITION, (commit, ordinal, id, effect) -> {}))
        .extracting(Commit::snapshot)
        .isEqualTo(snapshot);
    assertThat(body[SNAPSHOT_OFFSET]).isEqualTo((byte) 0x80);
    body[SNAPSHOT_OFFSET] = (byte) 0x81;
    assertThatThrownBy(
            () -> TransactionRecord.read(body, POSITION, (commit, ordinal, id, effect) -> {}))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("a vector of 1025 entries, at most 1024");
  }

  @Example
  void namesAnotherVersion() {
    byte[] body =
        TransactionRecord.encode(
            0, VectorClock.ZERO, VectorClock.ZERO, TransactionMetadata.none(), List.of());
    body[0] = 4;

    assertThatThrownBy(() -> TransactionRecord.readEffect(body, POSITION, 0))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("version is 4");
  }
}
