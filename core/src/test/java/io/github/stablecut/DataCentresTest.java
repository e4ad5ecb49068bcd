package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Query;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.replication.DataCentre;
import io.github.stablecut.replication.LinkFaults;
import io.github.stablecut.replication.Replication;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stores as data centres over TCP, as their users see them. */
final class DataCentresTest {
  private static final CounterKey LIKES = Key.counter("posts", "likes");
  private static final AddWinsSetKey<String> TAGS = Key.addWinsSet("posts", "tags", Codec.string());

  @TempDir Path directory;

  private Store open(String name, Replication replication) {
    return Stablecut.open(
        directory.resolve(name), StoreOptions.defaults().withReplication(replication));
  }

  private Store first(String name) {
    return open(name, Replication.tcp("127.0.0.1:0"));
  }

  private Store joined(String name, Store by) {
    return open(
        name,
        Replication.tcp("127.0.0.1:0").join("127.0.0.1:" + by.dataCentres().port().orElseThrow()));
  }

  private static <V> V readAfter(Store store, CausalToken token, Query<V> query) {
    try (Transaction transaction = store.begin(TransactionOptions.defaults().after(token))) {
      return transaction.read(query);
    }
  }

  @Test
  void aDataCentreReadsCommitsOfTheOther() {
    try (Store here = first("here")) {
      here.update(LIKES.increment(2), TAGS.add("a"));
      try (Store there = joined("there", here)) {
        assertThat(there.read(LIKES)).isEqualTo(2);
        CausalToken token = here.update(LIKES.increment(3), TAGS.add("b"));
        assertThat(readAfter(there, token, LIKES)).isEqualTo(5);
        assertThat(readAfter(there, token, TAGS)).containsExactly("a", "b");
        CausalToken back = there.update(LIKES.increment(10), TAGS.remove("a"));
        assertThat(readAfter(here, back, LIKES)).isEqualTo(15);
        assertThat(readAfter(here, back, TAGS)).containsExactly("b");
        assertThat(
                Arrival.await(
                    () -> here.dataCentres().all(),
                    all -> all.stream().allMatch(of -> of.state() == DataCentre.State.MEMBER)))
            .hasSize(2);
      }
    }
  }

  @Test
  void aThirdOneJoinsThroughTheSecond() {
    try (Store first = first("first");
        Store second = joined("second", first)) {
      CausalToken early = second.update(LIKES.increment(1));
      try (Store third = joined("third", second)) {
        assertThat(third.dataCentres().own()).isEqualTo(2);
        assertThat(readAfter(third, early, LIKES)).isEqualTo(1);
        CausalToken token = third.update(LIKES.increment(1));
        assertThat(readAfter(first, token, LIKES)).isEqualTo(2);
        assertThat(readAfter(second, token, LIKES)).isEqualTo(2);
      }
    }
  }

  @Test
  void bothContinueAfterDowntime() {
    try (Store first = first("first");
        Store second = joined("second", first)) {
      CausalToken token = first.update(LIKES.increment(1));
      assertThat(readAfter(second, token, LIKES)).isEqualTo(1);
    }
    CausalToken ofFirst;
    try (Store first = first("first")) {
      ofFirst = first.update(LIKES.increment(10));
      first.checkpoint();
    }
    CausalToken ofSecond;
    try (Store second = first("second")) {
      ofSecond = second.update(LIKES.increment(100));
      second.checkpoint();
    }
    try (Store first = first("first");
        Store second = joined("second", first)) {
      assertThat(second.dataCentres().own()).isEqualTo(1);
      assertThat(readAfter(first, ofSecond, LIKES)).isEqualTo(111);
      assertThat(readAfter(second, ofFirst, LIKES)).isEqualTo(111);
      assertThat(second.read(LIKES)).isEqualTo(111);
    }
  }

  @Test
  void aNewOneStartsWithASnapshotWrittenForIt() {
    Path invitation = directory.resolve("stick");
    try (Store first = first("first")) {
      first.update(LIKES.increment(1), TAGS.add("a"));
      assertThat(first.dataCentres().invite(invitation)).isEqualTo(1);
      CausalToken later = first.update(LIKES.increment(1));
      Stablecut.join(invitation, directory.resolve("second"));
      try (Store second = joined("second", first)) {
        assertThat(second.dataCentres().own()).isEqualTo(1);
        assertThat(second.read(TAGS)).containsExactly("a");
        assertThat(readAfter(second, later, LIKES)).isEqualTo(2);
      }
    }
  }

  @Test
  void aDetachedOneIsRefusedAndReportsIt() {
    try (Store first = first("first")) {
      try (Store second = joined("second", first)) {
        CausalToken token = second.update(LIKES.increment(1));
        assertThat(readAfter(first, token, LIKES)).isEqualTo(1);
        first.dataCentres().detach(1);
        List<String> warnings =
            Arrival.await(
                () -> second.status().health().warnings(),
                problem -> problem.toString().contains("was detached from its group"));
        assertThat(warnings).isNotEmpty();
        assertThatThrownBy(() -> second.update(LIKES.increment(1)))
            .isInstanceOf(ReplicationRefusedException.class)
            .hasMessageContaining(
                "data centre 1 was detached from its group and accepts no more commits")
            .hasMessageContaining("export what the others lack");
        assertThat(second.read(LIKES)).isEqualTo(1);
      }
      assertThatThrownBy(() -> joined("second", first))
          .isInstanceOf(ReplicationRefusedException.class)
          .hasMessageContaining("was detached")
          .hasMessageContaining("export");
      try (Store alone = Stablecut.open(directory.resolve("second"))) {
        assertThat(alone.read(LIKES)).isEqualTo(1);
      }
      assertThat(first.dataCentres().all().get(1).state()).isEqualTo(DataCentre.State.DETACHED);
    }
  }

  @Test
  void aDisconnectedOneResumesByItselfAndCatchesUp() {
    LinkFaults cable = new LinkFaults(1);
    try (Store first = open("first", Replication.tcp("127.0.0.1:0").through(cable::around));
        Store second = joined("second", first)) {
      CausalToken before = first.update(LIKES.increment(1));
      assertThat(readAfter(second, before, LIKES)).isEqualTo(1);
      cable.cut(1);
      CausalToken unseen = first.update(LIKES.increment(1));
      CausalToken token = second.update(LIKES.increment(10));
      assertThat(second.read(LIKES)).isEqualTo(11);
      cable.heal();
      assertThat(readAfter(second, unseen, LIKES)).isEqualTo(12);
      assertThat(readAfter(first, token, LIKES)).isEqualTo(12);
    }
  }

  @Test
  void aJoinerReceivesCommitsSinceTheLastHeartbeats() {
    try (Store first = first("first");
        Store second = joined("second", first)) {
      CausalToken last = first.update(LIKES.increment(1));
      for (int i = 0; i < 50; i++) {
        // The snapshot has the heartbeat of the second one, which is in no journal yet.
        assertThat(readAfter(second, last, LIKES)).isEqualTo(i + 1);
        last = first.update(LIKES.increment(1));
      }
      first.backup(directory.resolve("backup"));
      Stablecut.restore(directory.resolve("backup"), directory.resolve("restored"));
      try (Store third = joined("third", first);
          Store restored = Stablecut.open(directory.resolve("restored"))) {
        assertThat(readAfter(third, last, LIKES)).isEqualTo(51);
        assertThat(restored.read(LIKES)).isEqualTo(51);
      }
    }
  }

  @Test
  void transactionsForwardedByAnotherMayStemFromAnEarlierStreamStart() {
    LinkFaults cable = new LinkFaults(1);
    try (Store first = open("first", Replication.tcp("127.0.0.1:0").through(cable::around));
        Store second = joined("second", first)) {
      CausalToken before = first.update(LIKES.increment(1));
      assertThat(readAfter(second, before, LIKES)).isEqualTo(1);
      try (Store third = joined("third", first)) {
        assertThat(readAfter(third, before, LIKES)).isEqualTo(1);
        cable.cut(2);
        CausalToken token = first.update(LIKES.increment(1));
        assertThat(readAfter(third, token, LIKES)).isEqualTo(2);
      }
    }
  }

  @Test
  void refusesPeriodicDurability() {
    StoreOptions options = StoreOptions.defaults().withReplication(Replication.tcp("127.0.0.1:0"));
    assertThatThrownBy(() -> options.withDurability(Durability.periodic(Duration.ofSeconds(1))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("batch or group");
  }

  @Test
  void aStoreWithDataCannotJoin() {
    try (Store first = first("first")) {
      try (Store alone = Stablecut.open(directory.resolve("alone"))) {
        alone.update(LIKES.increment(1));
      }
      assertThatThrownBy(() -> joined("alone", first))
          .isInstanceOf(ReplicationRefusedException.class)
          .hasMessageContaining("has data of its own")
          .hasMessageContaining("export it");
      try (Store alone = Stablecut.open(directory.resolve("alone"))) {
        assertThat(alone.read(LIKES)).isEqualTo(1);
      }
    }
  }

  @Test
  void anEmptyStoreJoins() {
    try (Store first = first("first")) {
      CausalToken token = first.update(LIKES.increment(1));
      Stablecut.open(directory.resolve("unused")).close();
      try (Store second = joined("unused", first)) {
        assertThat(second.dataCentres().own()).isEqualTo(1);
        assertThat(readAfter(second, token, LIKES)).isEqualTo(1);
      }
    }
  }

  @Test
  void aNewLoneOneJoinsAndOneWithDataContinuesAlone() {
    try (Store first = first("first")) {
      CausalToken token = first.update(LIKES.increment(1));
      long group;
      try (Store alone = first("alone")) {
        group = alone.dataCentres().group();
        assertThat(alone.dataCentres().isNew()).isTrue();
        assertThat(group).isNotEqualTo(first.dataCentres().group());
      }
      try (Store second = joined("alone", first)) {
        assertThat(second.dataCentres().group()).isEqualTo(first.dataCentres().group());
        assertThat(second.dataCentres().isNew()).isFalse();
        assertThat(readAfter(second, token, LIKES)).isEqualTo(1);
      }
      try (Store written = first("written")) {
        written.update(LIKES.increment(7));
        group = written.dataCentres().group();
        assertThat(written.dataCentres().isNew()).isFalse();
      }
      try (Store written = joined("written", first)) {
        assertThat(written.dataCentres().group()).isEqualTo(group);
        assertThat(written.read(LIKES)).isEqualTo(7);
        List<String> warnings =
            Arrival.await(
                () -> written.status().health().warnings(),
                problem -> problem.toString().contains("export"));
        assertThat(warnings.toString()).contains("belongs to group").contains("export");
      }
    }
  }

  @Test
  void aLeavingOneTakesNoWritesAndDeliversAllItHas() {
    LinkFaults cable = new LinkFaults(1);
    try (Store first = first("first")) {
      try (Store second =
          open(
              "second",
              Replication.tcp("127.0.0.1:0")
                  .through(cable::around)
                  .join("127.0.0.1:" + first.dataCentres().port().orElseThrow()))) {
        cable.cutAll();
        second.update(LIKES.increment(1));
        assertThatThrownBy(() -> second.dataCentres().leave(Duration.ZERO))
            .isInstanceOf(ReplicationRefusedException.class)
            .hasMessageContaining("data centre 0 still lacks transactions");
        second.update(LIKES.increment(1));
        cable.heal();
        second.dataCentres().leave(Duration.ofMinutes(2));
        assertThatThrownBy(() -> second.update(LIKES.increment(1)))
            .isInstanceOf(ReplicationRefusedException.class)
            .hasMessageContaining("accepts no more transactions");
        assertThat(second.read(LIKES)).isEqualTo(2);
        DataCentre.State state =
            Arrival.await(
                () -> first.dataCentres().all().get(1).state(),
                now -> now == DataCentre.State.DETACHED);
        assertThat(state).isEqualTo(DataCentre.State.DETACHED);
      }
      assertThat(Arrival.await(() -> first.read(LIKES), likes -> likes == 2)).isEqualTo(2);
    }
  }
}
