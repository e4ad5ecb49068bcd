package io.github.stablecut.cluster.internal.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.ConditionalResult;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Values;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.AnswerCodec;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallCodec;
import io.github.stablecut.cluster.internal.call.CallFailures;
import io.github.stablecut.cluster.internal.call.CallFrame;
import io.github.stablecut.cluster.internal.datacentre.ServedStore;
import io.github.stablecut.cluster.internal.secret.SigningKey;
import io.github.stablecut.cluster.internal.service.handle.AnswerBytes;
import io.github.stablecut.cluster.internal.service.handle.BusyException;
import io.github.stablecut.cluster.internal.service.handle.Client;
import io.github.stablecut.cluster.internal.service.handle.ClientHandles;
import io.github.stablecut.cluster.internal.service.handle.LargeAnswers;
import io.github.stablecut.cluster.internal.service.handle.NanoClock;
import io.github.stablecut.cluster.internal.service.handle.OpenTransactions;
import io.github.stablecut.cluster.internal.service.handle.TransactionLimits;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.NestedTransactionOpenException;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.UsageException;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.object.ObjectTypes;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.option.WatchOptions;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Calls that fail or exceed limits get accurate answers and leave nothing behind. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class CallHandlerTest {
  private static final CounterKey COUNT = Key.counter("b", "count");
  private static final int MAX_ANSWER_BYTES = 1 << 20;
  private static final TransactionLimits LIMITS =
      new TransactionLimits(
          9, 9, 1 << 20, Duration.ofHours(1), TestService.SHARES, Certification.NONE);

  @TempDir private Path directory;
  private Store store;

  @BeforeEach
  void open() {
    store = Stablecut.open(directory.resolve("data"));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private CallHandler handler(RequestMeter meter) {
    return handler(store, System::nanoTime, meter);
  }

  private static CallHandler handler(Store store, NanoClock clock, RequestMeter meter) {
    return new CallHandler(
        new ServedStore(store),
        ObjectTypes.none(),
        () -> new Answer.PartitionOwners(0, 0, List.of(), List.of()),
        new OpenTransactions(LIMITS, clock, "", Set::of),
        new ClientHandles(LIMITS, new ClientHandles.Limits(100, 100), clock),
        new SessionIds(SigningKey.random()),
        meter,
        MAX_ANSWER_BYTES);
  }

  private static StablecutException failure(Answer answer) {
    return CallFailures.exception((Answer.Failed) answer);
  }

  @Test
  void anUnexpectedFailureAfterACommitLeavesItsOutcomeUnknown() {
    CallHandler failing = handler(new FailingMeter());

    Answer answer =
        failing.handle(new Call.Write(List.of(COUNT.increment())), TestService.client()).join();

    assertThat(store.read(COUNT)).isOne();
    assertThat(failure(answer))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("the outcome of the commit is unknown");
  }

  /** Runs out of memory when a commit is counted. */
  private static final class FailingMeter implements RequestMeter {
    @Override
    public void answered(RequestKind kind, long nanos, boolean failed) {}

    @Override
    public void committed(long nanos) {
      throw new OutOfMemoryError("injected");
    }
  }

  @Test
  void aConditionalWriteWhoseAnswerCantBeSentIsNotDenied() {
    RegisterKey<String> title = Key.register("b", "title", Codec.string());
    store.update(title.assign("x"));
    Call write = new Call.WriteIf(Condition.atLeast(title, "x"), List.of(COUNT.increment()));
    Answer tried =
        handler(RequestMeter.NONE)
            .handle(CallCodec.decode(CallCodec.encode(write)), TestService.client())
            .join();

    assertThat(store.read(COUNT)).isOne();
    assertThat(failure(CallHandler.REPLIES.untaken(tried)))
        .isInstanceOf(OutcomeUnknownException.class);
    assertThat(
            failure(
                CallHandler.REPLIES
                    .refused(tried, new IllegalStateException("injected"))
                    .orElseThrow()))
        .isInstanceOf(OutcomeUnknownException.class);
  }

  @Test
  void aConditionalWriteWhoseValuesCantBeEncodedIsNotDenied() {
    RegisterKey<String> title = Key.register("b", "title", Codec.string());
    store.update(title.assign("x"));
    Store withoutValues =
        (Store)
            Proxy.newProxyInstance(
                Store.class.getClassLoader(),
                new Class<?>[] {Store.class},
                (proxy, method, arguments) -> {
                  Object answer = method.invoke(store, arguments);
                  return answer instanceof ConditionalResult result
                      ? new ConditionalResult(
                          result.isWritten(), new Values(Map.of(), result.token()), result.token())
                      : answer;
                });
    CallHandler handler = handler(withoutValues, System::nanoTime, RequestMeter.NONE);

    Answer written =
        handler
            .handle(
                new Call.WriteIf(Condition.atLeast(title, "x"), List.of(COUNT.increment())),
                TestService.client())
            .join();
    Answer unchanged =
        handler
            .handle(
                new Call.WriteIf(Condition.atLeast(title, "y"), List.of(COUNT.increment())),
                TestService.client())
            .join();

    assertThat(store.read(COUNT)).isOne();
    assertThat(failure(written)).isInstanceOf(OutcomeUnknownException.class);
    assertThat(failure(unchanged)).isInstanceOf(UsageException.class);
  }

  @Test
  void aScanWhoseTransactionEndsMeanwhileIsNotLeftBehind() {
    Client client = TestService.client();
    Deque<Runnable> meanwhile = new ArrayDeque<>();
    CallHandler handler =
        handler(
            store,
            () -> {
              Optional.ofNullable(meanwhile.poll()).ifPresent(Runnable::run);
              return System.nanoTime();
            },
            RequestMeter.NONE);
    Answer.OpenedHandle begun =
        (Answer.OpenedHandle)
            handler.handle(new Call.Begin(TransactionOptions.defaults()), client).join();
    Call.TransactionRef inside = new Call.TransactionRef(begun.descriptor(), 0);
    Call end = new Call.End(inside, Call.Ending.CLOSE);
    // After the first step.
    meanwhile.add(() -> assertThat(handler.handle(end, client)).isCompleted());

    Answer scan =
        handler
            .handle(
                new Call.OpenScan(
                    Optional.of(inside), Optional.empty(), Optional.of(ScanOptions.bucket("b"))),
                client)
            .join();

    assertThat(meanwhile).isEmpty();
    assertThat(scan).as("the scan can be closed").isInstanceOf(Answer.OpenedHandle.class);
  }

  /** Opens a scan of all objects. */
  private Answer.OpenedHandle openScan(CallHandler handler, Client client) {
    Call scan =
        new Call.OpenScan(
            Optional.empty(), Optional.of(store.snapshot().token()), Optional.empty());
    return (Answer.OpenedHandle) handler.handle(scan, client).join();
  }

  @Test
  void aPageHasAnObjectHoweverSmallItsSize() {
    store.update(COUNT.increment(), Key.counter("b", "other").increment());
    CallHandler handler = handler(RequestMeter.NONE);
    Client client = TestService.client();
    Answer.OpenedHandle scan = openScan(handler, client);

    Answer page = handler.handle(new Call.Take(scan.descriptor(), 0, 0), client).join();

    assertThat(page)
        .isInstanceOfSatisfying(
            Answer.EncodedPage.class,
            some -> {
              assertThat(some.size()).isOne();
              assertThat(some.isLast()).isFalse();
            });
  }

  @Test
  void theServerLimitsTheWaitOfACallOnAWatch() {
    CallHandler handler = handler(RequestMeter.NONE);
    Client client = TestService.client();
    Answer.OpenedHandle watch =
        (Answer.OpenedHandle)
            handler
                .handle(
                    new Call.OpenWatch(Bytes.utf8("b"), Bytes.EMPTY, WatchOptions.fromNow()),
                    client)
                .join();

    Answer nothing =
        handler.handle(new Call.Take(watch.descriptor(), 1_000, Integer.MAX_VALUE), client).join();

    assertThat(nothing).isInstanceOf(Answer.Changes.class);
  }

  @Test
  void renewalReturnsTheUnknownDescriptors() {
    CallHandler handler = handler(RequestMeter.NONE);
    Client client = TestService.client();
    List<Bytes> held =
        Stream.of(
                new Call.OpenPoint(store.snapshot().token(), true),
                new Call.Begin(TransactionOptions.defaults()))
            .map(call -> ((Answer.OpenedHandle) handler.handle(call, client).join()).descriptor())
            .toList();
    Bytes unknown = Bytes.utf8("unknown");
    Call renew = new Call.Renew(List.of(held.get(0), unknown, held.get(1)));

    assertThat(handler.handle(renew, client).join())
        .isEqualTo(new Answer.Renewed(List.of(unknown)));
    handler.handle(new Call.Close(held.get(0)), client).join();
    assertThat(handler.handle(renew, client).join())
        .isEqualTo(new Answer.Renewed(List.of(held.get(0), unknown)));
  }

  @Test
  void aTransactionThatCantEndIsClosed() {
    CallHandler handler = handler(RequestMeter.NONE);
    Client client = TestService.client();
    for (Call.Ending ending : List.of(Call.Ending.COMMIT, Call.Ending.ABORT)) {
      Answer.OpenedHandle begun =
          (Answer.OpenedHandle)
              handler.handle(new Call.Begin(TransactionOptions.defaults()), client).join();
      Call.TransactionRef inside = new Call.TransactionRef(begun.descriptor(), 0);
      assertThat(handler.handle(new Call.BeginNested(inside), client).join())
          .isInstanceOf(Answer.Done.class);

      Answer refused = handler.handle(new Call.End(inside, ending), client).join();

      assertThat(failure(refused)).isInstanceOf(NestedTransactionOpenException.class);
      assertThat(store.status().openTransactions()).isZero();
    }
  }

  @Test
  void anObjectTooLargeForAnAnswerIsRefusedByNameAfterThePageBeforeIt() {
    RegisterKey<Bytes> large = Key.register("b", "large", Codec.bytes());
    store.update(large.assign(Bytes.wrap(new byte[MAX_ANSWER_BYTES + 1])));
    store.update(Key.counter("b", "a").increment());
    CallHandler handler = handler(RequestMeter.NONE);
    Client client = TestService.client();

    for (Call.Freshness moment : List.of(Call.Freshness.NEWEST, Call.Freshness.LATEST)) {
      Call read =
          new Call.Read(
              moment,
              Optional.empty(),
              moment == Call.Freshness.LATEST ? List.of(large) : List.of(COUNT, large));
      assertThat(failure(handler.handle(CallCodec.decode(CallCodec.encode(read)), client).join()))
          .isInstanceOf(LimitExceededException.class)
          .hasMessageStartingWith(
              "last-writer-wins register \"large\" in bucket \"b\" is larger than the");
    }
    Answer.OpenedHandle scan = openScan(handler, client);
    Call take = new Call.Take(scan.descriptor(), MAX_ANSWER_BYTES, 0);
    Answer made = handler.handle(take, client).join();
    Answer.Page page = (Answer.Page) AnswerCodec.decode(AnswerCodec.encode(made));
    assertThat(page.isLast()).isFalse();
    assertThat(page.objects())
        .extracting(Answer.ScannedObject::id)
        .containsExactly(Key.counter("b", "a").id());
    assertThat(failure(handler.handle(take, client).join()))
        .isInstanceOf(LimitExceededException.class)
        .hasMessageContaining("\"large\" in bucket \"b\"");
  }

  @Test
  void twoLargeAnswersAreEncodedAtATime() throws InterruptedException {
    LargeAnswers answers = new LargeAnswers(Duration.ofMillis(1));
    Client first = TestService.client();
    Client second = TestService.client();
    Client third = TestService.client();
    first.largeAnswerPermit(answers).acquire();
    first.largeAnswerPermit(answers).acquire();
    second.largeAnswerPermit(answers).acquire();

    assertThatThrownBy(() -> third.largeAnswerPermit(answers).acquire())
        .isInstanceOf(BusyException.class)
        .hasMessageStartingWith("2 other large answers");
    first.answered();
    first.answered();
    third.largeAnswerPermit(answers).acquire();
    assertThatThrownBy(() -> first.largeAnswerPermit(answers).acquire())
        .isInstanceOf(BusyException.class);
  }

  @Test
  void waitingForAPermitLeavesThreadsForOthers() {
    LargeAnswers answers = new LargeAnswers(Duration.ofSeconds(10));
    List<Client> others = List.of(TestService.client(), TestService.client());
    others.forEach(other -> other.largeAnswerPermit(answers).acquire());
    try (Workers workers = new Workers(1, 1)) {
      CompletableFuture<Void> waiting =
          CompletableFuture.runAsync(
              () -> TestService.client().largeAnswerPermit(answers).acquire(), workers);
      CompletableFuture.runAsync(() -> others.get(0).answered(), workers).join();

      assertThat(waiting).succeedsWithin(Duration.ofMinutes(1));
    }
  }

  /** A call that waits for a permit holds no large object meanwhile. */
  @Test
  void anObjectKnownAsLargeIsReadWithAPermit() {
    RegisterKey<Bytes> large = Key.register("b", "large", Codec.bytes());
    store.update(large.assign(Bytes.wrap(new byte[MAX_ANSWER_BYTES / 2])));
    Query<?> query =
        ((Call.Read)
                CallCodec.decode(
                    CallCodec.encode(
                        new Call.Read(
                            Call.Freshness.NEWEST, Optional.empty(), List.<Query<?>>of(large)))))
            .queries()
            .get(0);
    LargeAnswers answers = new LargeAnswers(Duration.ofMillis(1));
    List<Client> others = List.of(TestService.client(), TestService.client());
    Client client = TestService.client();
    int[] read = {0};
    Supplier<Object> reading =
        () -> {
          read[0]++;
          return store.read(query);
        };
    AnswerBytes first =
        new AnswerBytes(MAX_ANSWER_BYTES, Optional.of(client.largeAnswerPermit(answers)));
    assertThat(first.read(query, reading).length()).isGreaterThan(MAX_ANSWER_BYTES / 2);
    client.answered();
    assertThat(read[0]).as("without a permit, and with one").isEqualTo(2);
    others.forEach(other -> other.largeAnswerPermit(answers).acquire());

    AnswerBytes next =
        new AnswerBytes(MAX_ANSWER_BYTES, Optional.of(client.largeAnswerPermit(answers)));
    assertThatThrownBy(() -> next.read(query, reading)).isInstanceOf(BusyException.class);

    assertThat(read[0]).isEqualTo(2);
  }

  @Test
  void sendingTheAnswerReleasesThePermit() {
    RegisterKey<Bytes> large = Key.register("b", "large", Codec.bytes());
    store.update(large.assign(Bytes.wrap(new byte[MAX_ANSWER_BYTES / 2])));
    Service service = TestService.of(store, Runnable::run, System::nanoTime);
    Call read = new Call.Read(Call.Freshness.LATEST, Optional.empty(), List.of(large));
    for (int connection = 0; connection < 3; connection++) {
      OtherEnd peer = new OtherEnd();
      peer.fails = connection == 0;
      service
          .connect(peer)
          .received(
              Frames.received(CallFrame.write(CallFrame.CALL, CallCodec.encode(read))), () -> {});

      assertThat(peer.isClosed).isEqualTo(peer.fails);
      assertThat(peer.answers)
          .allSatisfy(
              frame ->
                  assertThat(AnswerCodec.decodeFrame(CallFrame.join(Frames.received(frame))))
                      .isInstanceOf(Answer.Values.class));
    }
  }
}
