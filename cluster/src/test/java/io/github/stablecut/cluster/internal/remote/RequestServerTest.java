package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.codec.QuestionCodec;
import io.github.stablecut.crdt.question.PageBounds;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.crdt.set.AddWinsSet;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.TransactionExpiredException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.partition.ConditionalBatch;
import io.github.stablecut.internal.partition.ConditionalBatchCodec;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.TransactionPart;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.thread.BlockingPools;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.BoundedCounterKey;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.ExpiringKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RecursiveMapKey;
import io.github.stablecut.key.TextKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The owner of a partition answers only requests for the partition's epoch. */
class RequestServerTest {
  private static final long EPOCH = 7;
  private static final CounterKey KEY = Key.counter("b", "k");

  @TempDir Path directory;

  private Partition partition;
  private RequestServer owner;

  /** Counts the requests that were released. */
  private final AtomicInteger done = new AtomicInteger();

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

  private List<Reply> ask(int number, long epoch, Bytes request) {
    List<Reply> replies = new ArrayList<>();
    owner.answer(
        new RequestServer.EncodedRequest(number, epoch, Long.MAX_VALUE, request),
        driver -> Message.Driver.GONE,
        replies::add,
        done::incrementAndGet);
    return replies;
  }

  private List<Reply> ask(Request request) {
    return ask(0, EPOCH, RequestCodec.encode(request));
  }

  private static TransactionPart increment(VectorClock snapshot, TransactionMetadata facts) {
    return increment(snapshot, Set.of(), facts);
  }

  private static TransactionPart increment(
      VectorClock snapshot, Set<Bytes> certified, TransactionMetadata facts) {
    return write(KEY.increment(1), snapshot, certified, facts);
  }

  private static TransactionPart write(
      Update update, VectorClock snapshot, Set<Bytes> certified, TransactionMetadata facts) {
    return TransactionPart.of(TestParts.part(update, snapshot, certified), facts);
  }

  private static Request commit(VectorClock snapshot) {
    return new Request.Commit(increment(snapshot, TransactionMetadata.none()).toRequest());
  }

  private Object value() {
    return read(KEY).map(Version::state).orElse(0L);
  }

  /** Reads the version of a key. */
  private Optional<Version> read(Key<?> key) {
    Bytes part = QuestionCodec.encode(key.footprint());
    return ((Reply.ObjectVersion) ask(new Request.Read(key.id(), part, partition.now())).get(0))
        .version();
  }

  @Test
  void aWriteForAnotherEpochChangesNothing() {
    Bytes write = RequestCodec.encode(commit(partition.now()));

    assertThat(ask(0, EPOCH - 1, write)).containsExactly(new Reply.Stale(EPOCH));
    assertThat(ask(0, EPOCH + 1, write)).containsExactly(new Reply.Stale(EPOCH));
    assertThat(ask(1, EPOCH, write)).containsExactly(new Reply.Stale(0));
    assertThat(value()).isEqualTo(0L);
  }

  @Test
  void answersAWriteOnceItIsVisible() {
    CompletableFuture<Reply> reply = new CompletableFuture<>();
    owner.answer(
        new RequestServer.EncodedRequest(
            0, EPOCH, Long.MAX_VALUE, RequestCodec.encode(commit(partition.now()))),
        driver -> Message.Driver.GONE,
        reply::complete,
        done::incrementAndGet);

    assertThat(reply.join()).isInstanceOf(Reply.Vector.class);
    assertThat(value()).isEqualTo(1L);
  }

  @Test
  void releasesTheBytesOfEachRequestOnce() {
    Bytes present = RequestCodec.encode(new Request.Present());
    for (Bytes request :
        List.of(present, RequestCodec.encode(commit(partition.now())), Bytes.utf8("?"))) {
      done.set(0);
      CompletableFuture<Reply> reply = new CompletableFuture<>();

      owner.answer(
          new RequestServer.EncodedRequest(0, EPOCH, Long.MAX_VALUE, request),
          driver -> Message.Driver.GONE,
          reply::complete,
          done::incrementAndGet);

      assertThat(reply.join()).isNotNull();
      assertThat(done).hasValue(1);
    }
    done.set(0);
    assertThat(ask(0, EPOCH + 1, present)).containsExactly(new Reply.Stale(EPOCH));
    assertThat(done).hasValue(1);
  }

  private static final String FAULT =
      "the owner of partition 0 failed because of an internal error: see its log";

  private static void assertFault(Reply reply) {
    assertThat(reply).isInstanceOf(Reply.Failed.class);
    assertThat(((Reply.Failed) reply).failure()).hasMessage(FAULT);
  }

  @Test
  void reportsAnInternalError() {
    List<Reply> replies = new ArrayList<>();
    owner.answer(
        new RequestServer.EncodedRequest(
            0, EPOCH, Long.MAX_VALUE, RequestCodec.encode(new Request.Present())),
        driver -> Message.Driver.GONE,
        reply -> {
          replies.add(reply);
          if (replies.size() == 1) {
            throw new IllegalStateException("a fault");
          }
        },
        done::incrementAndGet);

    assertThat(replies).hasSize(2);
    assertFault(replies.get(1));
  }

  /** Executes a write whose reply fails, and returns the reply sent in its place. */
  private Reply faultAfter(Request write, Runnable before) {
    List<Reply> replies = new ArrayList<>();
    owner.answer(
        new RequestServer.EncodedRequest(0, EPOCH, Long.MAX_VALUE, RequestCodec.encode(write)),
        driver -> Message.Driver.GONE,
        reply -> {
          replies.add(reply);
          if (replies.size() == 1) {
            before.run();
            throw new IllegalStateException("a fault");
          }
        },
        done::incrementAndGet);
    assertThat(replies).hasSize(2);
    return replies.get(1);
  }

  private static void assertUnknown(Reply reply) {
    assertThat(reply)
        .isInstanceOfSatisfying(
            Reply.Failed.class,
            failed ->
                assertThat(failed.failure())
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageStartingWith(FAULT));
  }

  @Test
  void aFaultAfterAWriteLeavesItsOutcomeUnknown() {
    assertUnknown(faultAfter(execute(Condition.is(KEY, 0L), KEY.increment()), () -> {}));

    assertThat(value()).isEqualTo(1L);
  }

  @Test
  void doesNotRetryAWriteElsewhereAfterAFault() {
    OpenPartition here = owner.find(0).orElseThrow();

    assertUnknown(faultAfter(execute(Condition.is(KEY, 0L), KEY.increment()), here::fence));
  }

  @Test
  void repliesToARequestThatThrowsAnError() {
    Message.Open open = new Message.Open(Message.Driver.GONE, 1, Optional.empty());
    List<Reply> replies = new ArrayList<>();
    owner.answer(
        new RequestServer.EncodedRequest(
            0, EPOCH, Long.MAX_VALUE, RequestCodec.encode(new Request.Deliver(open))),
        driver -> {
          throw new OutOfMemoryError("for a test");
        },
        replies::add,
        done::incrementAndGet);
    owner.answer(
        new RequestServer.EncodedRequest(
            0, EPOCH, Long.MAX_VALUE, RequestCodec.encode(new Request.Present())),
        driver -> Message.Driver.GONE,
        reply -> {
          replies.add(reply);
          if (replies.size() == 2) {
            throw new OutOfMemoryError("for a test");
          }
        },
        done::incrementAndGet);

    assertThat(replies).hasSize(3);
    for (Reply reply : List.of(replies.get(0), replies.get(2))) {
      assertThat(reply)
          .isInstanceOfSatisfying(
              Reply.Failed.class,
              failed ->
                  assertThat(failed.failure())
                      .hasMessageContaining("partition 0 failed because of an error of its JVM")
                      .hasMessageContaining("OutOfMemoryError"));
    }
  }

  @Test
  void reportsAnInternalErrorInDecodingARequest() {
    Message.Open open = new Message.Open(Message.Driver.GONE, 1, Optional.empty());
    List<Reply> replies = new ArrayList<>();
    owner.answer(
        new RequestServer.EncodedRequest(
            0, EPOCH, Long.MAX_VALUE, RequestCodec.encode(new Request.Deliver(open))),
        driver -> {
          throw new IllegalStateException("a fault");
        },
        replies::add,
        done::incrementAndGet);

    assertThat(replies).hasSize(1);
    assertFault(replies.get(0));
  }

  @Test
  void refusesPreparedPartsThatAreTooOld() {
    for (int i = 0; i < 2; i++) {
      partition.commit(increment(partition.now(), TransactionMetadata.none()).toRequest());
      partition.checkpoint();
    }
    TransactionMetadata facts =
        TransactionMetadata.participant(new TransactionId(3, 1, 1), List.of());
    List<Message.ToDriver> answers = new ArrayList<>();
    Message.Driver driver =
        new Message.Driver() {
          @Override
          public long number() {
            return 5;
          }

          @Override
          public void tell(Message.ToDriver answer) {
            answers.add(answer);
          }
        };
    Message.Prepare late = new Message.Prepare(driver, increment(VectorClock.of(1), facts));

    owner.answer(
        new RequestServer.EncodedRequest(
            0, EPOCH, Long.MAX_VALUE, RequestCodec.encode(new Request.Deliver(late))),
        number -> driver,
        reply -> {
          throw new AssertionError(reply);
        },
        done::incrementAndGet);

    assertThat(answers).singleElement().isInstanceOf(Message.Refused.class);
    assertThat(((Message.Refused) answers.get(0)).reason())
        .isInstanceOf(TransactionExpiredException.class);
    assertThat(ask(commit(VectorClock.of(1))))
        .singleElement()
        .isInstanceOfSatisfying(
            Reply.Failed.class,
            failed -> assertThat(failed.failure()).isInstanceOf(TransactionExpiredException.class));
  }

  @Test
  void survivesRequestsThatNoNodeSends() {
    Random random = new Random(3);
    byte[] write = RequestCodec.encode(commit(partition.now())).toArray();
    byte[] scan =
        RequestCodec.encode(
                new Request.Scan(
                    KEY.id(), Optional.of(KEY.id()), VectorClock.of(9), false, false, 1))
            .toArray();
    for (int i = 0; i < 5_000; i++) {
      byte[] bytes = (random.nextBoolean() ? write : scan).clone();
      byte[] cut = Arrays.copyOf(bytes, random.nextInt(bytes.length));

      assertThat(ask(0, EPOCH, Bytes.wrap(cut))).singleElement().isInstanceOf(Reply.Failed.class);
    }
    assertThat(value()).isEqualTo(0L);
  }

  @Test
  void sendsOnlyTheAnswerToAQuery() {
    AddWinsSetKey<String> set = Key.addWinsSet("b", "large", Codec.string());
    Question<Boolean> question = new Question.Contains(Bytes.utf8("a"));

    Reply reply = ask(question(set, question)).get(0);

    assertThat(reply.largeBytes()).isEqualTo(1);
    assertThat(QuestionCodec.decodeAnswer(question, ((Reply.Answer) reply).encoded())).isFalse();
  }

  @Test
  void sendsOnlyTheQueriedCollectionOfAMap() {
    RecursiveMapKey map = Key.map("b", "m").map("inner");
    AddWinsSetKey<String> tags = map.addWinsSet("tags", Codec.string());
    ExpiringKey<TextKey> note = Key.expiring(map.text("note"));
    Update batch =
        map.batch(
            tags.add("a"),
            note.object().insert(0, "hello"),
            note.expireAfter(Duration.ofDays(1)),
            map.register("large", Codec.bytes()).assign(Bytes.wrap(new byte[1 << 20])));
    TransactionPart write = write(batch, partition.now(), Set.of(), TransactionMetadata.none());
    ask(new Request.Commit(write.toRequest()));

    for (Key<?> key : List.of(tags, note, note.object(), map.list("none", Codec.string()))) {
      Version sent = read(key).orElseThrow();
      Version whole = read(Key.map("b", "m")).orElseThrow();

      assertThat(CallTypes.encodeState(sent.type(), sent.state())).hasSizeLessThan(200);
      assertThat((Object) key.view(sent.state(), sent.at()))
          .isEqualTo(key.view(whole.state(), whole.at()));
    }
  }

  private Request question(Key<?> key, Question<?> question) {
    return new Request.Query(key.id(), key.type(), QuestionCodec.encode(question), partition.now());
  }

  @Test
  void survivesQueriesThatNoNodeSends() {
    Random random = new Random(4);
    Question<?> question =
        new Question.InEntry<>(
            new MapKey<>(Bytes.utf8("e"), AddWinsSet.TYPE),
            new Question.Page(new PageBounds(Optional.of(Bytes.utf8("x")), true, 3)));
    RecursiveMapKey map = Key.map("b", "m");
    for (int i = 0; i < 5_000; i++) {
      byte[] bytes = QuestionCodec.encode(question).toArray();
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      Bytes cut = Bytes.wrap(Arrays.copyOf(bytes, 1 + random.nextInt(bytes.length + 3)));
      Key<?> key = random.nextBoolean() ? map : KEY;

      assertThat(ask(new Request.Query(key.id(), key.type(), cut, partition.now())))
          .singleElement()
          .isInstanceOfAny(Reply.Failed.class, Reply.Answer.class);
    }
    assertThat(ask(question(KEY, question))).singleElement().isInstanceOf(Reply.Failed.class);
    assertThat(value()).isEqualTo(0L);
  }

  private Request.Downstream downstream(Update update, int dots) {
    return new Request.Downstream(
        update.key().id(),
        update.key().type(),
        Bytes.wrap(CallTypes.encodeOperation(update.key().type(), update.operation())),
        partition.now(),
        dots);
  }

  private Request.Execute execute(Condition condition, Update... updates) {
    ConditionalBatch batch = new ConditionalBatch(condition, List.of(updates), 1 << 20, 1 << 20);
    return new Request.Execute(partition.now(), ConditionalBatchCodec.encode(batch));
  }

  @Test
  void theEffectOfAnOperationOnALargeObjectIsSmall() {
    AddWinsSetKey<String> set = Key.addWinsSet("b", "large", Codec.string());
    List<String> elements = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      elements.add("element " + i);
    }
    Condition none = Condition.is(set.size(), 0);
    Reply.ConditionalOutcome filled =
        (Reply.ConditionalOutcome)
            ask(execute(none, set.addAll(elements), set.add("one more"))).get(0);
    assertThat(filled.isWritten()).isTrue();
    assertThat(filled.largeBytes()).isEqualTo(1);
    Reply.ConditionalOutcome again =
        (Reply.ConditionalOutcome) ask(execute(none, set.clear())).get(0);
    assertThat(again.isWritten()).isFalse();

    Reply.Effect removed = (Reply.Effect) ask(downstream(set.remove("element 5"), 3)).get(0);
    assertThat(removed.largeBytes()).isLessThan(100);
    assertThat(removed.dots()).isEqualTo(3);
    Reply.Effect added = (Reply.Effect) ask(downstream(set.add("another"), 3)).get(0);
    assertThat(added.largeBytes()).isLessThan(100);
    assertThat(added.dots()).isEqualTo(4);
    assertThat(CallTypes.decodeEffect(set.type(), added.effect().toArray()).toString())
        .contains("another");
    BoundedCounterKey rights = Key.boundedCounter("b", "rights");
    assertThat(ask(downstream(rights.decrement(1), 0)))
        .singleElement()
        .isInstanceOfSatisfying(
            Reply.Failed.class,
            failed -> assertThat(failed.failure()).isInstanceOf(OperationRefusedException.class));
  }

  /** The next owner may have newer data. */
  @Test
  void answersStaleToAFailedConditionOnAFencedPartition() {
    OpenPartition here = new OpenPartition(partition, EPOCH + 1);
    owner.add(here);
    Bytes refused = RequestCodec.encode(execute(Condition.is(KEY, 5L), KEY.increment()));
    assertThat(ask(0, EPOCH + 1, refused))
        .singleElement()
        .isInstanceOfSatisfying(
            Reply.ConditionalOutcome.class, tried -> assertThat(tried.isWritten()).isFalse());

    here.fence();

    assertThat(ask(0, EPOCH + 1, refused)).singleElement().isInstanceOf(Reply.Stale.class);
  }

  @Test
  void survivesConditionalWritesThatNoNodeSends() {
    Random random = new Random(5);
    AddWinsSetKey<String> set = Key.addWinsSet("b", "set", Codec.string());
    Bytes sent =
        ConditionalBatchCodec.encode(
            new ConditionalBatch(
                Condition.all(Condition.holds(set.contains("x")), Condition.is(KEY, 0L)),
                List.of(set.remove("x"), KEY.increment(3)),
                1_000,
                1_000));
    for (int i = 0; i < 3_000; i++) {
      byte[] bytes = sent.toArray();
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      Bytes cut = Bytes.wrap(Arrays.copyOf(bytes, 1 + random.nextInt(bytes.length + 3)));

      assertThat(ask(new Request.Execute(partition.now(), cut)))
          .singleElement()
          .isInstanceOfAny(Reply.Failed.class, Reply.ConditionalOutcome.class);
    }
    byte[] operation = CallTypes.encodeOperation(set.type(), set.remove("x").operation());
    for (int i = 0; i < 2_000; i++) {
      byte[] bytes = operation.clone();
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      Bytes damaged = Bytes.wrap(Arrays.copyOf(bytes, random.nextInt(bytes.length + 3)));

      assertThat(ask(new Request.Downstream(set.id(), set.type(), damaged, partition.now(), i % 5)))
          .singleElement()
          .isInstanceOfAny(Reply.Failed.class, Reply.Effect.class);
    }
  }

  @Test
  void waitingForADecisionDoesNotBlockTheDecision() throws Exception {
    TransactionId id = new TransactionId(3, 1, 1);
    partition.receive(
        new Message.Prepare(
            Message.Driver.GONE,
            increment(
                partition.now(),
                Set.of(KEY.id()),
                TransactionMetadata.participant(id, List.of(KEY.id())))));
    ExecutorService threads = BlockingPools.pool("test-write-", 4, 1_000);
    try {
      RequestServer busy =
          new RequestServer(
              EmbeddedStore.activeSnapshots(StoreOptions.defaults()),
              threads,
              threads,
              ObjectCalls.of(StoreOptions.defaults(), threads),
              snapshot -> {});
      busy.add(new OpenPartition(partition, EPOCH));
      CountDownLatch answered = new CountDownLatch(Bulkhead.MAX_RUNNING);
      Request write =
          new Request.CommitIf(
              Map.of(), increment(partition.now(), TransactionMetadata.none()).toRequest());
      for (int i = 0; i < Bulkhead.MAX_RUNNING; i++) {
        ask(busy, write, reply -> answered.countDown());
      }

      ask(busy, new Request.Deliver(new Message.Abort(id)), reply -> {});

      assertThat(answered.await(1, TimeUnit.MINUTES)).isTrue();
    } finally {
      partition.close();
      threads.shutdown();
    }
  }

  private void ask(RequestServer of, Request request, Consumer<Reply> to) {
    of.answer(
        new RequestServer.EncodedRequest(0, EPOCH, Long.MAX_VALUE, RequestCodec.encode(request)),
        driver -> Message.Driver.GONE,
        to,
        done::incrementAndGet);
  }
}
