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

/** Stores as data centres of each other, over TCP, as their users see it. */
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
  void what_one_commits_the_other_reads() {
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
                Arriving.await(
                    () -> here.dataCentres().all(),
                    all -> all.stream().allMatch(of -> of.state() == DataCentre.State.MEMBER)))
            .hasSize(2);
      }
    }
  }

  @Test
  void a_third_one_joins_by_way_of_the_second() {
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
  void both_go_on_after_they_were_away() {
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
  void a_new_one_begins_with_what_was_written_for_it() {
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
  void a_detached_one_is_refused_and_tells_so() {
    try (Store first = first("first")) {
      try (Store second = joined("second", first)) {
        CausalToken token = second.update(LIKES.increment(1));
        assertThat(readAfter(first, token, LIKES)).isEqualTo(1);
        first.dataCentres().detach(1);
        List<String> warnings =
            Arriving.await(
                () -> second.status().health().warnings(),
                told -> told.toString().contains("was detached from its group"));
        assertThat(warnings).isNotEmpty();
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
  void what_is_cut_off_goes_on_by_itself_and_catches_up() {
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
  void who_joins_gets_what_was_committed_after_others_were_last_heard() {
    try (Store first = first("first");
        Store second = joined("second", first)) {
      CausalToken last = first.update(LIKES.increment(1));
      for (int i = 0; i < 50; i++) {
        // The snapshot has what was heard of the second one, which no journal tells yet.
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
  void what_comes_by_way_of_another_one_may_have_come_there_from_an_earlier_beginning() {
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
  void periodic_durability_is_refused() {
    StoreOptions options = StoreOptions.defaults().withReplication(Replication.tcp("127.0.0.1:0"));
    assertThatThrownBy(() -> options.withDurability(Durability.periodic(Duration.ofSeconds(1))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("batch or group");
  }

  @Test
  void a_store_with_data_does_not_join() {
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
  void a_store_that_nothing_was_written_to_joins() {
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
  void one_that_is_alone_and_new_joins_and_one_with_data_goes_on_alone() {
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
            Arriving.await(
                () -> written.status().health().warnings(),
                told -> told.toString().contains("export"));
        assertThat(warnings.toString()).contains("is one of group").contains("export");
      }
    }
  }

  @Test
  void one_that_leaves_takes_nothing_more_and_leaves_all_it_has() {
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
            .hasMessageContaining("data centre 0 still lacks something");
        second.update(LIKES.increment(1));
        cable.heal();
        second.dataCentres().leave(Duration.ofMinutes(2));
        assertThatThrownBy(() -> second.update(LIKES.increment(1)))
            .isInstanceOf(ReplicationRefusedException.class)
            .hasMessageContaining("takes no transactions any more");
        assertThat(second.read(LIKES)).isEqualTo(2);
        DataCentre.State state =
            Arriving.await(
                () -> first.dataCentres().all().get(1).state(),
                now -> now == DataCentre.State.DETACHED);
        assertThat(state).isEqualTo(DataCentre.State.DETACHED);
      }
      assertThat(Arriving.await(() -> first.read(LIKES), likes -> likes == 2)).isEqualTo(2);
    }
  }
}
