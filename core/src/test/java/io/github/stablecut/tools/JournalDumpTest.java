package io.github.stablecut.tools;

import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Session;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.journal.ClosedJournal;
import io.github.stablecut.journal.GroupListener;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalDirectory;
import io.github.stablecut.journal.JournalFailedException;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.journal.JournalReadListener;
import io.github.stablecut.journal.PendingRecord;
import io.github.stablecut.journal.segment.CorruptJournalException;
import io.github.stablecut.journal.segment.StoredRecord;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.GrowOnlyMapKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RecursiveMapKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.tools.JournalDump.Filter;
import io.github.stablecut.tools.JournalEntry.Content;
import io.github.stablecut.tools.JournalEntry.End;
import io.github.stablecut.tools.JournalEntry.Other;
import io.github.stablecut.tools.JournalEntry.Prepared;
import io.github.stablecut.tools.JournalEntry.Request;
import io.github.stablecut.tools.JournalEntry.Sessions;
import io.github.stablecut.tools.JournalEntry.Transaction;
import io.github.stablecut.tools.Verification.Depth;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A dump shows records that other programs wrote. */
final class JournalDumpTest {
  private static final byte UNKNOWN_KIND = 99;
  private static final byte TRANSACTION = 1;

  private static final JournalReadListener NO_FINDINGS =
      new JournalReadListener() {
        @Override
        public void damaged(CorruptJournalException damage) {
          throw damage;
        }

        @Override
        public void torn(String message, boolean mayBeDamage) {
          throw new AssertionError(message);
        }
      };

  @TempDir private Path data;

  private void append(PendingRecord... records) throws IOException {
    JournalOptions options = JournalOptions.named("test").withReserveBytes(0);
    GroupListener nobody =
        new GroupListener() {
          @Override
          public void durable(List<PendingRecord> group) {}

          @Override
          public void failed(List<PendingRecord> group, JournalFailedException cause) {}
        };
    try (Journal journal =
        Journal.open(
            JournalDirectory.open(data.resolve("p0/journal"), options),
            options,
            nobody,
            stored -> {})) {
      for (PendingRecord pending : records) {
        journal.append(pending);
      }
      assertThat(journal.flushGroup()).isEqualTo(records.length);
    }
  }

  private List<JournalEntry> dump(Filter filter) {
    List<JournalEntry> entries = new ArrayList<>();
    assertThat(JournalDump.run(data, filter, entries::add).damages()).isEmpty();
    return entries;
  }

  @Test
  void effectsInMapsNamePlacesAndEventsInWords() {
    RecursiveMapKey map = Key.map("b", "k");
    GrowOnlyMapKey grow = Key.growOnlyMap("b", "g");
    try (Store store = Stablecut.open(data)) {
      store.update(map.counter("c").increment(1), grow.counter("c").increment(2));
    }

    List<String> effects =
        dump(Filter.ALL).stream()
            .map(JournalEntry::content)
            .filter(content -> content instanceof Transaction)
            .flatMap(content -> ((Transaction) content).effects().stream())
            .map(JournalEntry.Effect::effect)
            .toList();

    assertThat(effects)
        .containsExactly(
            "Effect[changes=[Change[place=\"c\": counter, observed=[], added=Optional[self:0],"
                + " effect=Added[dot=self:1, amount=1]]]]",
            "Effect[changes=[Change[place=\"c\": counter, effect=Add[amount=2]]]]");
  }

  @Test
  void showsARecordOfAnUnknownKindByItsNumberWithoutAFilter() throws IOException {
    try (Store store = Stablecut.open(data)) {
      store.update(Key.counter("b", "k").increment(1));
    }
    append(new PendingRecord(UNKNOWN_KIND, new byte[12], 12));
    ObjectName object = new ObjectName(Bytes.utf8("b"), Bytes.utf8("k"));

    assertThat(dump(Filter.ALL))
        .extracting(JournalEntry::content)
        .last()
        .isEqualTo(new Other(UNKNOWN_KIND, 12));
    for (Filter filter :
        List.of(
            new Filter(Optional.of(object), Optional.empty(), Optional.empty()),
            new Filter(Optional.empty(), Optional.of(Instant.EPOCH), Optional.empty()))) {
      assertThat(dump(filter))
          .isNotEmpty()
          .extracting(JournalEntry::content)
          .noneMatch(Other.class::isInstance);
    }
  }

  @Test
  void showsTransactionsOfSeveralPartitionsFromPrepareToEnd() {
    // Enough for each partition to get some, whatever the store's hash.
    CounterKey[] keys =
        IntStream.range(0, 100).mapToObj(i -> Key.counter("b", "" + i)).toArray(CounterKey[]::new);
    StoreOptions options = StoreOptions.defaults().withPartitions(3);
    try (Store store = Stablecut.open(data, options)) {
      Update[] updates = Stream.of(keys).map(key -> key.increment(7)).toArray(Update[]::new);
      for (int i = 0; i < 20; i++) {
        store.update(updates);
      }
    }

    String id = "0-1-1";
    List<JournalEntry> all = dump(Filter.ALL);
    Transaction decision =
        contents(all, Transaction.class).stream()
            .filter(transaction -> transaction.id().equals(Optional.of(id)))
            .filter(transaction -> !transaction.participants().isEmpty())
            .findFirst()
            .orElseThrow();
    assertThat(decision.participants()).containsExactly(1, 2);
    assertThat(contents(all, Transaction.class))
        .filteredOn(part -> part.id().equals(decision.id()))
        .hasSize(3)
        .allMatch(part -> part.time() == decision.time());
    assertThat(contents(all, Prepared.class))
        .filteredOn(prepared -> prepared.id().equals(id))
        .hasSize(2)
        .allMatch(prepared -> prepared.time() < decision.time());
    assertThat(contents(all, End.class)).containsOnlyOnce(new End(id));
    ObjectName object = new ObjectName(Bytes.utf8("b"), Bytes.utf8("3"));
    List<JournalEntry> ofOne =
        dump(new Filter(Optional.of(object), Optional.empty(), Optional.empty()));
    assertThat(ofOne)
        .hasSizeBetween(20, 40)
        .allMatch(entry -> entry.partition() == ofOne.get(0).partition());
    Instant after = Instant.now().plusSeconds(60);
    assertThat(
            contents(
                dump(new Filter(Optional.empty(), Optional.of(after), Optional.empty())),
                Prepared.class))
        .isEmpty();
  }

  private static <C extends Content> List<C> contents(List<JournalEntry> entries, Class<C> kind) {
    return entries.stream()
        .map(JournalEntry::content)
        .filter(kind::isInstance)
        .map(kind::cast)
        .toList();
  }

  @Test
  void showsTheLastRequestsOfSessionsOnceTheirSegmentsAreGone() {
    StoreOptions forgetful =
        StoreOptions.defaults()
            .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO));
    String session;
    CausalToken token;
    try (Store store = Stablecut.open(data, forgetful)) {
      Session opened = store.openSession();
      session = opened.id().toString();
      token = opened.update(1, Key.counter("b", "k").increment(1));
      store.checkpoint();
    }
    try (Store store = Stablecut.open(data, forgetful)) {
      store.update(Key.counter("b", "k").increment(1));
      store.checkpoint();
    }

    Request request = new Request(session, 1, token.vector().max());
    assertThat(contents(dump(Filter.ALL), Sessions.class))
        .isNotEmpty()
        .allMatch(sessions -> sessions.equals(new Sessions(List.of(request))));
    assertThat(
            dump(
                new Filter(
                    Optional.empty(), Optional.empty(), Optional.of(Instant.ofEpochMilli(0)))))
        .isEmpty();
  }

  @Test
  void namesAMalformedRecordAndShowsTheOthers() throws IOException {
    try (Store store = Stablecut.open(data)) {
      store.update(Key.counter("b", "k").increment(1));
    }
    append(
        new PendingRecord(TRANSACTION, new byte[] {3, 2, 3}, 3),
        new PendingRecord(UNKNOWN_KIND, new byte[0], 0));
    List<JournalEntry> entries = new ArrayList<>();

    JournalDump.Result result = JournalDump.run(data, Filter.ALL, entries::add);

    assertThat(result.damages())
        .singleElement()
        .asString()
        .startsWith("segment 2 (" + data.resolve("p0/journal"))
        .contains("is malformed: the body ends too early");
    assertThat(entries).last().extracting(JournalEntry::content).isInstanceOf(Other.class);
    assertThat(Inspection.of(data, ToolProgress.NONE).findings())
        .containsExactlyElementsOf(result.damages());
  }

  /** The file is longer than what is read at once, and truncated meanwhile. */
  @Test
  void anUnreadablePartIsADiskFailure() throws IOException {
    try (Store store = Stablecut.open(data)) {
      SampleStore.change(store, new Random(1), 2_000);
    }
    ClosedJournal.SegmentFile segment = ClosedJournal.in(data.resolve("p0/journal")).files().get(0);

    assertThatThrownBy(() -> JournalDump.run(data, Filter.ALL, entry -> cut(segment.file())))
        .isInstanceOf(StoreIoException.class)
        .hasMessageContainingAll(
            "can't be read: segment", segment.file().toString(), "became shorter");
  }

  @Test
  void verifyNamesUnreadableFilesAndContinues() throws IOException {
    try (Store store = Stablecut.open(data)) {
      SampleStore.change(store, new Random(1), 2_000);
    }
    Path segment = ClosedJournal.in(data.resolve("p0/journal")).files().get(0).file();

    VerificationReport report =
        Verification.run(data, Depth.SUMS, (stage, done, total) -> cut(segment));

    assertThat(report.damages())
        .singleElement()
        .asString()
        .contains("" + segment, "became shorter");
  }

  private static void cut(Path file) {
    try (FileChannel channel = FileChannel.open(file, WRITE)) {
      channel.truncate(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void anyRecordIsShownOrNamedAsDamaged(long seed) throws IOException {
    Random random = new Random(seed);
    try (Store store = Stablecut.open(data)) {
      SampleStore.change(store, random, 60);
    }
    List<PendingRecord> changed = new ArrayList<>();
    ClosedJournal.in(data.resolve("p0/journal"))
        .read(stored -> changed.add(changed(stored, random)), NO_FINDINGS);
    append(changed.toArray(PendingRecord[]::new));
    List<JournalEntry> entries = new ArrayList<>();

    JournalDump.Result result = JournalDump.run(data, Filter.ALL, entries::add);

    assertThat(entries.size() + result.damages().size()).isEqualTo(2 * changed.size());
    assertThat(result.damages()).isNotEmpty();
    VerificationReport report = Verification.run(data, Depth.FULL, ToolProgress.NONE);
    assertThat(report.damages()).containsAll(result.damages());
    assertThat(Inspection.of(data, ToolProgress.NONE).partitions().get(0).journal().content())
        .extracting(StoreDescription.Content::records)
        .isEqualTo(2L * changed.size());
  }

  private static PendingRecord changed(StoredRecord stored, Random random) {
    byte[] body = stored.body();
    for (int i = random.nextInt(3); i >= 0; i--) {
      body[random.nextInt(body.length)] = (byte) random.nextInt(256);
    }
    int length = random.nextInt(8) == 0 ? random.nextInt(body.length) : body.length;
    return new PendingRecord(stored.kind(), body, length);
  }
}
