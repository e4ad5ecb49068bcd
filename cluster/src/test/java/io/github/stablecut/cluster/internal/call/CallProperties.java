package io.github.stablecut.cluster.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.SessionId;
import io.github.stablecut.WatchOverflowException;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.MissingRightsException;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.codec.QuestionCodec;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.thread.HeapShare;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.SnapshotOptions;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.option.WatchOptions;
import io.github.stablecut.replication.DataCentre;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Calls and answers are decoded as encoded, and other bytes are refused with a FormatException. */
public final class CallProperties {
  private static final CausalToken TOKEN = new CausalToken(-7, 3, VectorClock.ofEntries(5, 9));
  private static final CounterKey COUNTER = Key.counter("b", "c");
  private static final AddWinsSetKey<String> SET = Key.addWinsSet("b", "s", Codec.string());
  private static final Call.TransactionRef INSIDE =
      new Call.TransactionRef(Bytes.utf8("descriptor"), 2);
  private static final ScanOptions RANGE =
      ScanOptions.bucket("b").from("c").until("x").descending().keysOnly().limit(3);

  private static final List<Call> CALLS =
      List.of(
          new Call.Hello(1),
          new Call.Read(Call.Freshness.LATEST, Optional.of(TOKEN), List.of(COUNTER, SET.size())),
          new Call.Write(List.of(COUNTER.increment(3), SET.add("x"))),
          new Call.WriteIf(
              Condition.all(Condition.atLeast(COUNTER, 3), Condition.holds(SET.contains("x"))),
              List.of(COUNTER.decrement(3))),
          new Call.WriteOnce(
              new SessionId(1, -2, 3, -4, Bytes.wrap(new byte[SessionId.SIGNATURE_BYTES])),
              3,
              Optional.empty(),
              List.of(COUNTER.increment())),
          new Call.WriteOnce(
              new SessionId(1, -2, 3, -4, Bytes.wrap(new byte[SessionId.SIGNATURE_BYTES])),
              3,
              Optional.of(Condition.atLeast(COUNTER, 3)),
              List.of(COUNTER.increment())),
          new Call.Begin(
              TransactionOptions.defaults()
                  .after(TOKEN)
                  .certify(Certification.READ_THEN_UPDATED)
                  .allowOtherTypes()),
          new Call.ReadIn(INSIDE, List.of(SET)),
          new Call.WriteIn(INSIDE, List.of(SET.remove("x"))),
          new Call.BeginNested(INSIDE),
          new Call.End(INSIDE, Call.Ending.CLOSE),
          new Call.Point(Optional.of(List.of(COUNTER))),
          new Call.NearSnapshot(SnapshotOptions.nearest().after(TOKEN)),
          new Call.OpenPoint(TOKEN, true),
          new Call.OpenScan(Optional.of(INSIDE), Optional.empty(), Optional.of(RANGE)),
          new Call.OpenScan(Optional.empty(), Optional.of(TOKEN), Optional.empty()),
          new Call.OpenWatch(
              Bytes.utf8("b"), Bytes.EMPTY, WatchOptions.after(TOKEN).buffer(9).withEffects()),
          new Call.Take(Bytes.utf8("d"), 1, 2),
          new Call.Renew(List.of(Bytes.utf8("d"))),
          new Call.Close(Bytes.utf8("d")),
          new Call.Delete(RANGE),
          new Call.FindPartition(COUNTER),
          new Call.AfterPoint(TOKEN, new Call.Begin(TransactionOptions.defaults())),
          Call.Plain.STATUS,
          Call.Plain.LAYOUT,
          Call.Plain.DATA_CENTRES);

  /** Calls of every kind without effects on other users. */
  public static List<Call> harmless() {
    return CALLS.stream().filter(call -> !(call instanceof Call.Delete)).toList();
  }

  private static final List<Answer> ANSWERS =
      List.of(
          new Answer.Failed(5, "words", Optional.of(TOKEN), Optional.empty()),
          new Answer.Failed(
              101,
              "words",
              Optional.empty(),
              Optional.of(new Answer.MissingRights(3, new TreeMap<>(Map.of(0, 7L, 2, -1L))))),
          new Answer.Welcome(1, "1.0"),
          new Answer.Done(),
          new Answer.PartitionOwners(7, -8, List.of("127.0.0.1:8087", "h:1"), List.of(1, -1, 0)),
          new Answer.Values(TOKEN, List.of(Bytes.utf8("a"), Bytes.EMPTY)),
          new Answer.Point(TOKEN),
          new Answer.ConditionalResult(true, TOKEN, TOKEN, List.of(Bytes.utf8("a"))),
          new Answer.OpenedHandle(Bytes.utf8("d"), TOKEN),
          new Answer.Page(
              List.of(
                  new Answer.ScannedObject(
                      COUNTER.id(), PnCounter.TYPE, Optional.of(Bytes.utf8("s"))),
                  new Answer.ScannedObject(COUNTER.id(), PnCounter.TYPE, Optional.empty())),
              true),
          new Answer.Changes(
              List.of(
                  new Answer.Change(
                      TOKEN,
                      TOKEN,
                      List.of(
                          new Answer.ChangedObject(
                              COUNTER.id(), PnCounter.TYPE, List.of(Bytes.utf8("e")))))),
              TOKEN),
          new Answer.Deleted(1, 2, TOKEN),
          new Answer.Partition(3),
          new Answer.Renewed(List.of(Bytes.utf8("d"), Bytes.EMPTY)),
          new Answer.DataCentreList(
              1,
              -2,
              OptionalInt.of(4),
              true,
              false,
              List.of(
                  DataCentre.builder(1, -3, DataCentre.State.DETACHED)
                      .address(Optional.of("h:1"))
                      .isReachable(true)
                      .received(Instant.EPOCH.minusNanos(1))
                      .acknowledged(Instant.EPOCH)
                      .lag(Duration.ofMillis(7), Optional.of(Duration.ofMillis(8)))
                      .build())),
          new Answer.OpenedSession(new SessionId(-1, 2, -3, 0, Bytes.EMPTY)));

  @Example
  void everyCallSurvivesItsEncoding() {
    for (Call call : CALLS) {
      Bytes encoded = CallCodec.encode(call);

      assertThat(CallCodec.encode(CallCodec.decode(encoded))).as("%s", call).isEqualTo(encoded);
      assertThat(CallCodec.decode(encoded)).hasSameClassAs(call);
    }
  }

  @Example
  void limitsThePartsOfACallByTheHeap() {
    int most = HeapShare.MESSAGE_PARTS;
    Call names = new Call.Point(Optional.of(Collections.nCopies(most, COUNTER)));
    assertThat(CallCodec.decodeFrame(frame(names))).isInstanceOf(Call.Point.class);

    List<String> elements = IntStream.rangeClosed(0, most).mapToObj(Integer::toString).toList();
    for (Call call :
        List.of(
            new Call.Point(Optional.of(Collections.nCopies(most + 1, COUNTER))),
            new Call.Renew(Collections.nCopies(most + 1, Bytes.EMPTY)),
            new Call.Write(List.of(SET.addAll(elements))),
            new Call.WriteIf(Condition.atLeast(COUNTER, 3), List.of(SET.addAll(elements))),
            new Call.Write(
                List.of(
                    SET.addAll(elements.subList(0, most / 2)),
                    SET.addAll(elements.subList(most / 2, most)))))) {
      assertThatThrownBy(() -> CallCodec.decodeFrame(frame(call)))
          .isInstanceOf(LimitExceededException.class)
          .hasMessageContaining("more than %,d parts".formatted(most));
    }
  }

  private static Bytes frame(Call call) {
    Bytes content = CallCodec.encode(call);
    byte[] frame = new byte[CallFrame.HEAD_BYTES + content.length()];
    content.copyInto(frame, CallFrame.HEAD_BYTES);
    return Bytes.wrap(frame);
  }

  @Example
  void everyAnswerSurvivesItsEncoding() {
    for (Answer answer : ANSWERS) {
      assertThat(AnswerCodec.decode(AnswerCodec.encode(answer))).isEqualTo(answer);
    }
  }

  @Example
  void decodesAServersPage() {
    List<Answer.ScannedObject> objects =
        List.of(
            new Answer.ScannedObject(COUNTER.id(), PnCounter.TYPE, Optional.of(Bytes.utf8("s"))),
            new Answer.ScannedObject(SET.id(), SET.type(), Optional.empty()));
    List<Bytes> encoded =
        QuestionCodec.encodePieces(
            out -> objects.forEach(object -> AnswerCodec.write(object, out)));
    for (boolean isLast : List.of(true, false)) {
      Answer made = new Answer.EncodedPage(2, encoded, isLast);
      assertThat(AnswerCodec.decode(AnswerCodec.encode(made)))
          .isEqualTo(new Answer.Page(objects, isLast));
    }
  }

  @Example
  void clientsThrowTheExceptionsOfServers() {
    for (StablecutException thrown :
        List.of(
            new ConflictException("c"),
            new LimitExceededException("l"),
            new ReplicationRefusedException("r"))) {
      assertThat(CallFailures.exception(CallFailures.of(thrown)))
          .hasSameClassAs(thrown)
          .hasMessage(thrown.getMessage());
    }
    StablecutException overflow =
        CallFailures.exception(CallFailures.of(new WatchOverflowException("o", TOKEN)));
    assertThat(((WatchOverflowException) overflow).position()).isEqualTo(TOKEN);
    TreeMap<Integer, Long> rights = new TreeMap<>(Map.of(0, 1L, 1, 2L));
    StablecutException lacking =
        CallFailures.exception(CallFailures.of(new MissingRightsException("m", 3, rights)));
    assertThat(lacking).isInstanceOf(MissingRightsException.class).hasMessage("m");
    assertThat(((MissingRightsException) lacking).missing()).isEqualTo(3);
    assertThat(((MissingRightsException) lacking).rights()).isEqualTo(rights);
  }

  @Provide
  Arbitrary<byte[]> damaged() {
    List<byte[]> all =
        Stream.concat(
                CALLS.stream().map(CallCodec::encode), ANSWERS.stream().map(AnswerCodec::encode))
            .map(Bytes::toArray)
            .toList();
    return Arbitraries.of(all)
        .flatMap(
            bytes ->
                Arbitraries.integers()
                    .between(0, bytes.length - 1)
                    .flatMap(
                        at ->
                            Arbitraries.bytes()
                                .map(
                                    other -> {
                                      byte[] changed = bytes.clone();
                                      changed[at] = other;
                                      return changed;
                                    })));
  }

  @Property(tries = 3_000)
  void decodesOrRefusesDamagedBytes(@ForAll("damaged") byte[] bytes) {
    decodes(() -> CallCodec.decode(Bytes.wrap(bytes)));
    decodes(() -> AnswerCodec.decode(Bytes.wrap(bytes)));
  }

  @Property(tries = 2_000)
  void decodesOrRefusesAnyBytes(@ForAll byte[] bytes) {
    decodes(() -> CallCodec.decode(Bytes.wrap(bytes)));
    decodes(() -> AnswerCodec.decode(Bytes.wrap(bytes)));
  }

  /**
   * Decodes bytes. Any refusal must have a message; besides a FormatException, it may report
   * invalid content, such as a limit.
   */
  private static void decodes(Runnable decoding) {
    try {
      decoding.run();
    } catch (StablecutException | IllegalArgumentException e) {
      assertThat(e).hasMessageMatching("(?s).+");
    }
  }

  @Example
  void refusesTruncatedAndTrailingBytes() {
    for (Call call : CALLS) {
      byte[] whole = CallCodec.encode(call).toArray();
      byte[] more = Arrays.copyOf(whole, whole.length + 1);
      assertThatThrownBy(() -> CallCodec.decode(Bytes.wrap(more)))
          .isInstanceOf(FormatException.class);
      for (int length = 0; length < whole.length; length++) {
        byte[] cut = Arrays.copyOf(whole, length);
        assertThatThrownBy(() -> CallCodec.decode(Bytes.wrap(cut)))
            .isInstanceOf(StablecutException.class);
      }
    }
  }
}
