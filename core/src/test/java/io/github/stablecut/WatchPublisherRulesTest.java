package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.WatchOptions;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.tck.TestEnvironment;
import org.reactivestreams.tck.flow.FlowPublisherVerification;
import org.testng.SkipException;
import org.testng.annotations.Test;

/** A watch's publisher obeys the rules of Reactive Streams, according to their test kit (TCK). */
final class WatchPublisherRulesTest {
  private static final long WAIT_MILLIS = 30_000;
  private static final long SILENCE_MILLIS = 50;

  private static final int CHANGES = 50;
  private static final CounterKey LIKES = Key.counter("posts", "42/likes");

  /** Rules whose tests wait for {@code onComplete}, which a watch never calls. */
  private static final Set<String> FOR_COMPLETE_STREAMS =
      Set.of(
          "required_createPublisher1MustProduceAStreamOfExactly1Element",
          "required_createPublisher3MustProduceAStreamOfExactly3Elements",
          "required_spec102_maySignalLessThanRequestedAndTerminateSubscription",
          "required_spec105_mustSignalOnCompleteWhenFiniteStreamTerminates",
          "required_spec107_mustNotEmitFurtherSignalsOnceOnCompleteHasBeenSignalled",
          "required_spec317_mustSupportACumulativePendingElementCountUpToLongMaxValue",
          "required_spec317_mustSupportAPendingElementCountUpToLongMaxValue");

  /**
   * Rules whose tests always wait for their whole timeout, and then check that something forbidden
   * or an error has not happened.
   */
  private static final Set<String> WAITED_OUT =
      Set.of(
          "optional_spec309_requestNegativeNumberMaySignalIllegalArgumentExceptionWithSpecificMessage",
          "required_spec302_mustAllowSynchronousRequestCallsFromOnNextAndOnSubscribe",
          "required_spec303_mustNotAllowUnboundedRecursion",
          "required_spec309_requestNegativeNumberMustSignalIllegalArgumentException",
          "required_spec309_requestZeroMustSignalIllegalArgumentException");

  private static final long WAITED_OUT_MILLIS = 5_000;

  /** Gives the collector 100 ms; see {@link #releasesACancelledSubscriber}. */
  private static final String IMPATIENT =
      "required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber";

  @TempDir private Path directory;
  private Store store;
  private CausalToken beginning;

  @BeforeEach
  void open() {
    store =
        Stablecut.open(
            directory.resolve("data"),
            StoreOptions.defaults()
                .withLimits(StoreOptions.Limits.defaults().withOpenWatches(1_000)));
    beginning = store.snapshot().token();
    for (int i = 0; i < CHANGES; i++) {
      store.update(LIKES.increment());
    }
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** Watches of a store with some changes. */
  public final class Verification extends FlowPublisherVerification<Change> {
    private Verification(long waitMillis) {
      super(new TestEnvironment(waitMillis, SILENCE_MILLIS));
    }

    @Override
    public Flow.Publisher<Change> createFlowPublisher(long elements) {
      return store.watch("posts", "", WatchOptions.after(beginning)).publisher();
    }

    @Override
    public Flow.Publisher<Change> createFailedFlowPublisher() {
      Watch watch = store.watch("posts");
      watch.close();
      return watch.publisher();
    }

    @Override
    public long maxElementsFromPublisher() {
      return publisherUnableToSignalOnComplete();
    }
  }

  @TestFactory
  Stream<DynamicTest> rules() {
    Method[] rules =
        Arrays.stream(FlowPublisherVerification.class.getMethods())
            .filter(method -> method.isAnnotationPresent(Test.class))
            .filter(method -> !method.getName().equals(IMPATIENT))
            .sorted(Comparator.comparing(Method::getName))
            .toArray(Method[]::new);
    assertThat(rules).hasSizeGreaterThan(30);
    return Arrays.stream(rules)
        .map(rule -> DynamicTest.dynamicTest(rule.getName(), () -> check(rule)));
  }

  private void check(Method rule) throws Throwable {
    Verification verification =
        new Verification(WAITED_OUT.contains(rule.getName()) ? WAITED_OUT_MILLIS : WAIT_MILLIS);
    verification.setUp();
    try {
      rule.invoke(verification);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof SkipException skipped) {
        assertThat(rule.getName().startsWith("required_"))
            .as("a rule that is required was skipped: %s", skipped.getMessage())
            .isEqualTo(FOR_COMPLETE_STREAMS.contains(rule.getName()));
        abort(skipped.getMessage());
      }
      throw e.getCause();
    }
  }

  /** Takes one change and cancels. */
  private static final class SingleItemSubscriber implements Flow.Subscriber<Change> {
    private final CountDownLatch cancelled;
    private Flow.@Nullable Subscription subscription;

    SingleItemSubscriber(CountDownLatch cancelled) {
      this.cancelled = cancelled;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription = given;
      given.request(2);
    }

    @Override
    public void onNext(Change change) {
      if (subscription != null) {
        subscription.cancel();
      }
      cancelled.countDown();
    }

    @Override
    public void onError(Throwable thrown) {
      throw new AssertionError(thrown);
    }

    @Override
    public void onComplete() {
      throw new AssertionError("a watch is never complete");
    }
  }

  /** Rule 3.13. */
  @org.junit.jupiter.api.Test
  void releasesACancelledSubscriber() throws InterruptedException {
    Watch watch = store.watch("posts", "", WatchOptions.after(beginning));
    Flow.Publisher<Change> publisher = watch.publisher();
    CountDownLatch cancelled = new CountDownLatch(1);

    WeakReference<SingleItemSubscriber> subscriber = subscribe(publisher, cancelled);
    cancelled.await();

    while (subscriber.get() != null) {
      System.gc();
    }
    assertThat(watch.publisher()).isSameAs(publisher);
  }

  private static WeakReference<SingleItemSubscriber> subscribe(
      Flow.Publisher<Change> publisher, CountDownLatch cancelled) {
    SingleItemSubscriber subscriber = new SingleItemSubscriber(cancelled);
    publisher.subscribe(subscriber);
    return new WeakReference<>(subscriber);
  }
}
