package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Change;
import io.github.stablecut.DeleteRangeResult;
import io.github.stablecut.Scan;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.Watch;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.internal.transaction.SimulatedDataCentres.DataCentre;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CacheOptions;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.option.WatchOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Objects that two data centres have created with different types. */
final class SeveralTypesTest {
  private static final CounterKey COUNTER = Key.counter("b", "k");
  private static final AddWinsSetKey<String> SET = Key.addWinsSet("b", "k", Codec.string());
  private static final RegisterKey<String> REGISTER = Key.register("b", "k", Codec.string());
  private static final CounterKey BEFORE = Key.counter("b", "j");
  private static final CounterKey BEHIND = Key.counter("b", "l");

  private final SimulatedDataCentres all = new SimulatedDataCentres(new Random(1), 2);
  private final DataCentre here = all.get(0);
  private final DataCentre there = all.get(1);

  @AfterEach
  void close() {
    all.close();
  }

  private void createBoth() {
    here.store.update(COUNTER.increment(3));
    there.store.update(SET.add("x"));
    all.exchange();
  }

  private static String message(Runnable call) {
    try {
      call.run();
    } catch (TypeMismatchException e) {
      return String.valueOf(e.getMessage());
    }
    throw new AssertionError("there was no mismatch");
  }

  @Test
  void everyDataCentreReadsAndWritesThemAsEachOfTheirTypes() {
    createBoth();

    here.store.update(SET.add("y"), BEFORE.increment(1));
    there.store.update(COUNTER.increment(4));
    all.exchange();

    for (DataCentre at : all.all()) {
      assertThat(at.store.read(COUNTER)).isEqualTo(7);
      assertThat(at.store.read(SET)).containsExactlyInAnyOrder("x", "y");
      assertThat(at.store.read(SET.contains("y"))).isTrue();
      assertThat(message(() -> at.store.read(REGISTER)))
          .isEqualTo(
              "object \"k\" in bucket \"b\" is a counter and an add-wins set, not a last-writer-wins register: use the right kind of key");
      assertThat(message(() -> at.store.update(REGISTER.assign("z"))))
          .contains("is a counter and an add-wins set");
    }
  }

  @Test
  void theTypeThatATransactionSeesDoesNotChange() {
    here.store.update(COUNTER.increment(3));
    all.exchange();

    assertThat(message(() -> there.store.update(SET.add("x")))).contains("is a counter, not");
    there.reopen(true);
    all.exchange();
    assertThat(message(() -> there.store.update(SET.add("x")))).contains("is a counter, not");
    all.checkpoint(there);
    there.reopen(true);
    all.exchange();
    assertThat(message(() -> there.store.update(SET.add("x")))).contains("is a counter, not");
    assertThat(message(() -> there.store.read(SET))).contains("is a counter, not");
  }

  @Test
  void invisibleArrivalsHinderNothing() {
    here.store.update(COUNTER.increment(3));
    int partition = there.store.partitionOf(COUNTER);
    all.bring(here, there, partition);
    assertThat(there.store.read(COUNTER)).isZero();

    there.store.update(SET.add("x"), BEFORE.increment(1), BEHIND.increment(1));
    there.store.update(SET.add("y"));
    there.store.update(COUNTER.increment(1));
    assertThat(there.store.read(SET)).containsExactlyInAnyOrder("x", "y");
    assertThat(there.store.read(COUNTER)).isEqualTo(1);
    all.exchange();

    for (DataCentre at : all.all()) {
      at.reopen(true);
      all.exchange();
      assertThat(at.store.read(SET)).containsExactlyInAnyOrder("x", "y");
      assertThat(at.store.read(COUNTER)).isEqualTo(4);
    }
  }

  @Test
  void anObjectInACheckpointKeepsItsTypeBesideArrivals() {
    here.store.update(COUNTER.increment(3));
    all.bring(here, there, there.store.partitionOf(COUNTER));
    for (int i = 0; i < 3; i++) {
      acknowledge();
      here.store.update(BEFORE.increment(1), BEHIND.increment(1));
      all.checkpoint(here);
    }
    all.setCache(CacheOptions.off());
    here.reopen(true);
    there.store.update(SET.add("x"));
    all.exchange();

    // Only the set is in memory.
    here.store.update(COUNTER.increment(1));
    here.store.compareAndUpdate(Condition.holds(SET.contains("x")), COUNTER.increment(1));
    assertThat(here.store.read(COUNTER)).isEqualTo(5);
    assertThat(here.store.read(SET)).containsExactly("x");
  }

  @Test
  void scansFindThemAsEachTypeInTheOrderOfTheTypesNumbers() {
    createBoth();
    here.store.update(BEFORE.increment(1), BEHIND.increment(1));
    all.exchange();

    for (DataCentre at : all.all()) {
      for (int round = 0; round < 2; round++) {
        ScanOptions bucket = ScanOptions.bucket("b");
        assertThat(found(at.store, bucket)).containsExactly("j=1", "k=3", "k=[x]", "l=1");
        assertThat(found(at.store, bucket.descending()))
            .containsExactly("l=1", "k=[x]", "k=3", "j=1");
        assertThat(found(at.store, bucket.limit(2))).containsExactly("j=1", "k=3", "k=[x]");
        assertThat(found(at.store, bucket.limit(1).after("j"))).containsExactly("k=3", "k=[x]");
        assertThat(keys(at.store, bucket.keysOnly()))
            .containsExactly("j counter", "k counter", "k add-wins set", "l counter");
        all.checkpoint(at);
      }
      at.store.update(SET.remove("x"));
      assertThat(keys(at.store, ScanOptions.bucket("b").keysOnly()))
          .containsExactly("j counter", "k counter", "l counter");
      at.store.update(SET.add("x"));
    }
  }

  private static List<String> found(Store store, ScanOptions options) {
    List<String> found = new ArrayList<>();
    try (Scan scan = store.snapshot().scan(options)) {
      scan.forEachRemaining(object -> found.add(text(object.key()) + "=" + shown(object.value())));
    }
    return found;
  }

  private static Object shown(Object value) {
    return value instanceof Set<?> set
        ? set.stream().map(one -> text((Bytes) one)).toList()
        : value;
  }

  private static String text(Bytes bytes) {
    String text = new String(bytes.toArray(), StandardCharsets.UTF_8);
    return text.substring(text.length() - 1);
  }

  private static List<String> keys(Store store, ScanOptions options) {
    List<String> found = new ArrayList<>();
    try (Scan scan = store.snapshot().scan(options)) {
      scan.forEachRemaining(object -> found.add(text(object.key()) + " " + object.type().name()));
    }
    return found;
  }

  @Test
  void aTransactionWritesThemAsSeveralTypes() {
    createBoth();

    try (Transaction transaction = here.store.begin()) {
      transaction.update(COUNTER.increment(1));
      assertThat(transaction.read(SET)).containsExactly("x");
      transaction.update(SET.add("y"));
      try (Transaction nested = transaction.begin()) {
        nested.update(SET.add("lost"), COUNTER.increment(100));
        nested.abort();
      }
      assertThat(message(() -> transaction.update(REGISTER.assign("z"))))
          .contains("not a last-writer");
      assertThat(transaction.read(SET)).containsExactlyInAnyOrder("x", "y");
      assertThat(transaction.read(COUNTER)).isEqualTo(4);
      try (Scan scan = transaction.scan(ScanOptions.bucket("b"))) {
        assertThat(scan).toIterable().hasSize(2);
      }
      transaction.update(BEFORE.increment(1), BEHIND.increment(1));
      transaction.commit();
    }
    here.reopen(true);
    all.exchange();

    for (DataCentre at : all.all()) {
      assertThat(at.store.read(SET)).containsExactlyInAnyOrder("x", "y");
      assertThat(at.store.read(COUNTER)).isEqualTo(4);
    }
  }

  @Test
  void aTransactionThatCreatesOneGivesItOneType() {
    try (Transaction transaction = here.store.begin()) {
      transaction.update(COUNTER.increment(1));
      assertThat(message(() -> transaction.update(SET.add("y")))).contains("is a counter");
      assertThat(message(() -> transaction.read(SET))).contains("is a counter");
      transaction.commit();
    }
    assertThat(message(() -> here.store.update(SET.add("y")))).contains("is a counter");
  }

  @Test
  void aCopyCreatesThemAsSeveralTypes() {
    here.store.update(COUNTER.increment(1));
    TransactionOptions copying = TransactionOptions.defaults().allowOtherTypes();
    try (Transaction transaction = here.store.begin(copying)) {
      transaction.update(SET.add("y"), BEFORE.increment(1), BEHIND.increment(1));
      transaction.update(REGISTER.assign("z"));
      assertThat(transaction.read(COUNTER)).isEqualTo(1);
      transaction.commit();
    }
    all.exchange();

    for (DataCentre at : all.all()) {
      assertThat(found(at.store, ScanOptions.bucket("b").from("k").until("l"))).hasSize(3);
      assertThat(at.store.read(REGISTER)).contains("z");
    }
  }

  @Test
  void aLargeOneKeepsItsPages() {
    List<String> many = IntStream.range(0, 400).mapToObj(i -> "element " + i).toList();
    here.store.update(many.stream().map(SET::add).toArray(Update[]::new));
    all.checkpoint(here);
    here.store.update(SET.add("element 0"));
    all.checkpoint(here);
    here.reopen(true);
    assertThat(isInPages(here)).isTrue();
    there.store.update(COUNTER.increment(3));
    all.exchange();

    for (int round = 0; round < 3; round++) {
      acknowledge();
      for (DataCentre at : all.all()) {
        all.checkpoint(at);
        at.store.update(SET.remove("element " + round), COUNTER.increment(1));
        all.checkpoint(at);
        at.reopen(true);
        assertThat(round == 0 || isInPages(at)).isTrue();
      }
      all.exchange();
      for (DataCentre at : all.all()) {
        assertThat(at.store.read(SET)).hasSize(399 - round);
        assertThat(at.store.read(SET.contains("element 399"))).isTrue();
        assertThat(at.store.read(COUNTER)).isEqualTo(5 + 2 * round);
      }
    }
    for (DataCentre at : all.all()) {
      DeleteRangeResult deleted = at.store.deleteRange(ScanOptions.bucket("b"));
      assertThat(deleted.deleted() + deleted.kept()).isEqualTo(2);
      all.checkpoint(at);
    }
  }

  private static boolean isInPages(DataCentre at) {
    return at.partition(at.store.partitionOf(SET))
        .versionAt(SET.id(), at.store.partitions().newest())
        .orElseThrow()
        .isInPages();
  }

  @Test
  void aPartDecidedByAnotherPartitionHasThemAsSeveralTypes() {
    String name =
        IntStream.range(0, 100)
            .mapToObj(i -> "k" + i)
            .filter(key -> here.store.partitionOf(Key.counter("b", key)) == 1)
            .findFirst()
            .orElseThrow();
    CounterKey decider =
        IntStream.range(0, 100)
            .mapToObj(i -> Key.counter("b", "d" + i))
            .filter(key -> here.store.partitionOf(key) == 0)
            .findFirst()
            .orElseThrow();
    CounterKey counter = Key.counter("b", name);
    AddWinsSetKey<String> set = Key.addWinsSet("b", name, Codec.string());
    here.store.update(counter.increment(1));
    there.store.update(set.add("x"));
    all.exchange();

    here.store.update(decider.increment(1), counter.increment(10), set.add("y"));
    here.reopen(true);
    all.exchange();

    for (DataCentre at : all.all()) {
      assertThat(at.store.read(counter)).isEqualTo(11);
      assertThat(at.store.read(set)).containsExactlyInAnyOrder("x", "y");
    }
  }

  @Test
  void theStatusNamesThemUntilAllButOneTypeIsDeleted() {
    createBoth();
    String problem =
        "object \"k\" in bucket \"b\" is a counter and an add-wins set, because data centres have created it with different types: each type has its own state, reached with a key of that type; use one, and delete the others";

    assertThat(here.store.status().health().warnings()).containsExactly(problem);
    all.checkpoint(here);
    here.store.update(BEFORE.increment(1));
    all.checkpoint(here);
    here.reopen(true);
    all.exchange();
    assertThat(here.store.status().health().warnings()).containsExactly(problem);

    here.store.update(SET.remove("x"));
    all.exchange();
    acknowledge();
    for (int i = 0; i < 3; i++) {
      here.store.update(BEFORE.increment(1));
      all.exchange();
      acknowledge();
      all.checkpoint(here);
    }
    assertThat(here.store.status().health().warnings()).isEmpty();
    assertThat(here.store.read(COUNTER)).isEqualTo(3);
    assertThat(here.store.read(SET)).isEmpty();
  }

  private void acknowledge() {
    for (DataCentre from : all.all()) {
      for (DataCentre to : all.all()) {
        for (int i = 0; i < SimulatedDataCentres.PARTITIONS && from != to; i++) {
          from.streams(i).recordReached();
          to.streams(i).acknowledged(from.local.number(), from.streams(i).recorded());
        }
      }
    }
  }

  @Test
  void conditionsAndCertifiedReadsAreOfOneType() {
    createBoth();

    assertThat(
            here.store
                .compareAndUpdate(Condition.holds(SET.contains("x")), COUNTER.increment(1))
                .isWritten())
        .isTrue();
    assertThatThrownBy(
            () ->
                here.store.compareAndUpdate(
                    Condition.holds(SET.contains("x")), REGISTER.assign("z")))
        .isInstanceOf(TypeMismatchException.class);
    TransactionOptions certified =
        TransactionOptions.defaults().certify(Certification.READS_WRITES);
    try (Transaction transaction = here.store.begin(certified)) {
      assertThat(transaction.read(SET.contains("x"))).isTrue();
      here.store.update(SET.add("other"));
      transaction.update(BEFORE.increment(1));
      transaction.commit();
    }
    try (Transaction transaction = here.store.begin(certified)) {
      assertThat(transaction.read(SET.contains("x"))).isTrue();
      here.store.update(SET.remove("x"));
      transaction.update(BEFORE.increment(1));
      assertThatThrownBy(transaction::commit).isInstanceOf(ConflictException.class);
    }
    assertThat(here.store.read(COUNTER)).isEqualTo(4);
  }

  @Test
  void watchesNameEachType() throws InterruptedException {
    createBoth();
    try (Watch watch = here.store.watch("b", "", WatchOptions.fromNow())) {
      here.store.update(COUNTER.increment(1), SET.add("y"));

      Optional<Change> change = watch.poll(Duration.ofSeconds(10));

      assertThat(change.orElseThrow().objects()).hasSize(2);
      assertThat(change.get().read(SET)).hasSize(2);
    }
  }
}
