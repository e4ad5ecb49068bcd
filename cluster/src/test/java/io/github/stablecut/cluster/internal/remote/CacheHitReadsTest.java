package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.codec.QuestionCodec;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.TransactionPart;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An event loop answers only reads of small objects in memory, and leaves all others to threads.
 */
class CacheHitReadsTest {
  private static final long EPOCH = 7;
  private static final CounterKey KEY = Key.counter("b", "k");
  private static final AddWinsSetKey<String> SET = Key.addWinsSet("b", "s", Codec.string());

  @TempDir private Path directory;
  private Partition partition;
  private RequestServer owner;

  @BeforeEach
  void open() throws IOException {
    StoreOptions options = StoreOptions.defaults();
    ActiveSnapshots active = EmbeddedStore.activeSnapshots(options);
    partition = TestOwner.partition(directory, options, active, EPOCH);
    owner = TestOwner.server(options, active);
    owner.add(new OpenPartition(partition, EPOCH));
  }

  @AfterEach
  void close() {
    partition.close();
  }

  private void write(Update update) {
    partition.commit(
        TransactionPart.of(TestParts.part(update, partition.now()), TransactionMetadata.none())
            .toRequest());
  }

  private Optional<Reply> ask(long epoch, Request request) {
    return CacheHitReads.answer(
        owner,
        new RequestServer.EncodedRequest(0, epoch, Long.MAX_VALUE, RequestCodec.encode(request)));
  }

  private Optional<Reply> ask(Request request) {
    return ask(EPOCH, request);
  }

  private static Request read(Key<?> key, VectorClock at) {
    return new Request.Read(key.id(), QuestionCodec.encode(Footprint.whole()), at);
  }

  private Request readNow(Key<?> key) {
    return read(key, partition.now());
  }

  /** Materializes the object's version, as its first reader does. */
  private void warm(Key<?> key) {
    assertThat(partition.versionAt(key.id(), partition.now())).isPresent();
  }

  @Test
  void readsSmallObjectsInMemoryAboveTheStableVectorToo() {
    write(KEY.increment(3));
    warm(KEY);

    for (int i = 0; i < 100; i++) {
      assertThat(ask(readNow(KEY)))
          .hasValueSatisfying(
              reply ->
                  assertThat(((Reply.ObjectVersion) reply).version().map(Version::state))
                      .contains(3L));
    }
  }

  @Test
  void answersQueriesOfSmallObjectsInMemory() {
    write(SET.add("a"));
    warm(SET);
    Question<Boolean> question = new Question.Contains(Codec.string().encode("a"));

    assertThat(
            ask(
                new Request.Query(
                    SET.id(), SET.type(), QuestionCodec.encode(question), partition.now())))
        .hasValueSatisfying(
            reply ->
                assertThat(QuestionCodec.decodeAnswer(question, ((Reply.Answer) reply).encoded()))
                    .isTrue());
    assertThat(
            ask(
                new Request.Query(
                    KEY.id(), SET.type(), QuestionCodec.encode(question), partition.now())))
        .as("nothing is in memory")
        .isEmpty();
  }

  @Test
  void leavesEverythingElseToOtherThreads() {
    RegisterKey<Bytes> large = Key.register("b", "large", Codec.bytes());
    write(KEY.increment(3));
    write(large.assign(Bytes.wrap(new byte[Links.MAX_BYTES])));
    warm(KEY);
    warm(large);

    assertThat(ask(EPOCH + 1, readNow(KEY))).isEmpty();
    assertThat(ask(readNow(large))).isEmpty();
    assertThat(ask(readNow(Key.counter("b", "none")))).isEmpty();
    assertThat(ask(new Request.Present())).isEmpty();
    assertThat(ask(new Request.Checkpoint())).isEmpty();
    assertThat(
            CacheHitReads.answer(
                owner, new RequestServer.EncodedRequest(0, EPOCH, Long.MAX_VALUE, Bytes.EMPTY)))
        .isEmpty();
    assertThat(
            CacheHitReads.answer(
                owner,
                new RequestServer.EncodedRequest(
                    0, EPOCH, Long.MAX_VALUE, RequestCodec.encode(readNow(KEY)).slice(0, 9))))
        .isEmpty();
  }

  @Test
  void doesNotWaitForInDoubtTransactions() {
    write(KEY.increment(3));
    warm(KEY);
    VectorClock snapshot = partition.now();
    Message.Driver driver = Message.Driver.GONE;
    TransactionMetadata facts =
        TransactionMetadata.participant(new TransactionId(3, 1, 1), List.of());
    owner
        .find(0)
        .orElseThrow()
        .receive(
            new Message.Prepare(
                driver, TransactionPart.of(TestParts.part(KEY.increment(1), snapshot), facts)));

    assertThat(ask(readNow(KEY))).isEmpty();
  }

  @Test
  void aFencedPartitionAnswersNothing() {
    write(KEY.increment(3));
    warm(KEY);
    assertThat(ask(readNow(KEY))).isPresent();

    owner.find(0).orElseThrow().fence();

    assertThat(ask(readNow(KEY))).isEmpty();
  }
}
