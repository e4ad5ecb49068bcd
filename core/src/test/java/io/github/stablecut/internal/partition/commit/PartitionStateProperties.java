package io.github.stablecut.internal.partition.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.index.IndexedEffect;
import io.github.stablecut.internal.index.ObjectEntry;
import io.github.stablecut.internal.partition.GeneratedPartition;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.journal.testing.LossySegments;
import io.github.stablecut.key.CounterKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Applying the records of a journal reproduces the state of the partition that made them. */
class PartitionStateProperties {
  private static final int STEPS = 400;

  @Property(tries = 150)
  void replayOfAJournalGivesTheStateOfItsPartition(@ForAll long seed) {
    Random random = new Random(seed);
    GeneratedPartition lived =
        new GeneratedPartition(random, anyOf(random), new LossySegments(), 1);
    live(lived);

    PartitionState replayed = GeneratedPartition.newState(lived.state().local());
    lived.committer().journal().scan(0, replayed::apply);

    assertThat(describe(replayed, lived)).containsExactlyElementsOf(describe(lived.state(), lived));
    assertThat(replayed.times().lastCommit())
        .isEqualTo(lived.state().local().timeIn(lived.committer().sequencer().lastCommit()));
  }

  @Property(tries = 150)
  void aFollowerHasThePartitionsStateAfterEachGroup(@ForAll long seed) {
    Random random = new Random(seed);
    GeneratedPartition lived =
        new GeneratedPartition(random, anyOf(random), new LossySegments(), 1);
    PartitionState follower = GeneratedPartition.newState(lived.state().local());
    for (int group = 0; group < STEPS / 10; group++) {
      long next = lived.committer().journal().nextRecord();
      for (int step = 0; step < 10; step++) {
        lived.step();
      }
      lived.flush();
      lived
          .committer()
          .journal()
          .scanNumbers(
              next,
              (number, record) -> {
                follower.apply(record);
                return true;
              });

      assertThat(describe(follower, lived))
          .containsExactlyElementsOf(describe(lived.state(), lived));
    }
  }

  @Property(tries = 50)
  void aReopenedPartitionHasItsStateAndContinuesFromThere(@ForAll long seed) {
    Random random = new Random(seed);
    LocalDataCentre local = anyOf(random);
    LossySegments files = new LossySegments();
    GeneratedPartition first = new GeneratedPartition(random, local, files, 1);
    live(first);

    GeneratedPartition second = new GeneratedPartition(random, local, files.afterKill(), 2);
    assertThat(describe(second.state(), first))
        .containsExactlyElementsOf(describe(first.state(), first));
    live(second);

    PartitionState replayed = GeneratedPartition.newState(local);
    second.committer().journal().scan(0, replayed::apply);
    assertThat(describe(replayed, first))
        .containsExactlyElementsOf(describe(second.state(), first));
    assertThat(describe(replayed, second))
        .containsExactlyElementsOf(describe(second.state(), second));
  }

  /** Otherwise the histories would show nothing. */
  @Example
  void theHistoriesHaveRecordsOfAllKindsAndSeveralSegments() {
    Set<Byte> kinds = new HashSet<>();
    int segments = 0;
    int inDoubt = 0;
    int ended = 0;
    int finished = 0;
    int certified = 0;
    for (long seed = 0; seed < 30; seed++) {
      Random random = new Random(seed);
      GeneratedPartition lived =
          new GeneratedPartition(random, anyOf(random), new LossySegments(), 1);
      for (int step = 0; step < STEPS; step++) {
        lived.step();
        certified += lived.state().certified().isEmpty() ? 0 : 1;
      }
      lived.flush();
      lived.committer().journal().scan(0, record -> kinds.add(record.kind()));
      segments += lived.committer().journal().status().segments().size();
      inDoubt += lived.state().prepared().inDoubt().size();
      ended += lived.state().decided().ended().size();
      finished += lived.state().finished().size();
    }

    assertThat(kinds)
        .containsExactlyInAnyOrder(
            RecordKind.TRANSACTION,
            RecordKind.CLOCK,
            RecordKind.PREPARED,
            RecordKind.END,
            RecordKind.SESSIONS);
    assertThat(segments).isGreaterThan(40);
    assertThat(inDoubt).isGreaterThan(10);
    assertThat(ended).isGreaterThan(20);
    assertThat(finished).isGreaterThan(40);
    assertThat(certified).isGreaterThan(200);
  }

  @Example
  void commitsOfAnotherDataCentreAreStableInItsEntryAfterAnOpeningAndNotInTheOwn() {
    Random random = new Random(0);
    LocalDataCentre local = new LocalDataCentre(1);
    LossySegments files = new LossySegments();
    GeneratedPartition first = new GeneratedPartition(random, local, files, 1);
    live(first);
    VectorClock before = first.committer().times().lastComplete();
    for (long time : new long[] {Long.MAX_VALUE / 4, Long.MAX_VALUE / 2}) {
      byte[] body =
          TransactionRecord.encode(
              2, VectorClock.ZERO, VectorClock.ZERO, TransactionMetadata.none(), List.of());
      TransactionRecord.setCommitTime(body, time);
      first.committer().journal().append(new SavedRecord(RecordKind.TRANSACTION, body));
    }
    first.flush();

    StableTime times =
        new GeneratedPartition(random, local, files.afterKill(), 2).committer().times();

    assertThat(times.lastComplete()).isEqualTo(before.with(2, Long.MAX_VALUE / 2));
    assertThat(times.stable()).isEqualTo(before.with(2, Long.MAX_VALUE / 2));
    assertThat(local.timeIn(times.lastCommit()))
        .isEqualTo(local.timeIn(first.committer().times().lastCommit()));
  }

  private static LocalDataCentre anyOf(Random random) {
    return new LocalDataCentre(random.nextInt(GeneratedPartition.MAX_DATA_CENTRES));
  }

  private static void live(GeneratedPartition lived) {
    for (int step = 0; step < STEPS; step++) {
      lived.step();
    }
    lived.flush();
  }

  /**
   * A description of a state without what no record determines: effects in memory, versions, and
   * which participants have acknowledged.
   *
   * @param heard the partition that has heard of the described transactions
   */
  private static List<String> describe(PartitionState state, GeneratedPartition heard) {
    List<String> lines = new ArrayList<>();
    Set<VectorClock> times = new HashSet<>();
    state.sessions().live(0).forEach(entry -> lines.add("session " + entry));
    for (TransactionId id : heard.ids()) {
      describe(id, state, lines);
    }
    for (CounterKey key : GeneratedPartition.KEYS) {
      String object = "object " + key;
      CommitRequest.ObjectWrite write =
          new CommitRequest.ObjectWrite(key.id(), key.type(), List.of(), List.of());
      state.certified().holder(write).ifPresent(holder -> lines.add(object + " is certified"));
      state.index().get(key.id()).ifPresent(entry -> describe(object, entry, lines, times));
    }
    lines.add("objects " + state.index().size() + ", finished " + state.finished().size());
    lines.add("ended " + state.decided().ended());
    for (VectorClock vector : times) {
      lines.add("first after " + vector + ": " + state.segments().firstAfter(vector, 0));
    }
    lines.sort(null);
    return lines;
  }

  private static void describe(TransactionId id, PartitionState state, List<String> lines) {
    PreparedTransactions.Entry entry = state.prepared().get(id);
    if (entry != null) {
      lines.add(
          "prepared %s at %d, position %d, snapshot %s, certified %d, committed %b"
              .formatted(
                  id,
                  entry.time,
                  entry.position,
                  entry.part.snapshot(),
                  entry.part.certified().size(),
                  entry.isCommitted));
    }
    DecidedTransactions.Decision decision = state.decided().get(id);
    if (decision != null) {
      lines.add("decided %s at %d, position %d".formatted(id, decision.time, decision.position));
    }
    if (state.finished().contains(id)) {
      lines.add("finished " + id);
    }
  }

  private static void describe(
      String object, ObjectEntry entry, List<String> lines, Set<VectorClock> times) {
    entry.types().all().forEach(type -> lines.add(object + " is a " + type.name()));
    int place = 0;
    for (IndexedEffect effect : entry.content().effects().notIn(VectorClock.ZERO)) {
      times.add(effect.commit().vector());
      lines.add(
          "%s has at %d effect %d of %s, position %d"
              .formatted(
                  object,
                  place++,
                  effect.ordinal(),
                  effect.commit().vector(),
                  effect.commit().position()));
    }
    TreeMap<String, String> intents = new TreeMap<>();
    entry
        .content()
        .intents()
        .forEach(intent -> intents.put(intent.transaction().toString(), intent.toString()));
    intents.values().forEach(intent -> lines.add(object + " may get " + intent));
  }
}
